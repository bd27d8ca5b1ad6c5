import { EngineManager } from '../../../kernel/index.ts'
import { loadPreset } from '../../load/preset.ts'

/** Whether a preset's guest starts and runs a cell. */
export interface Guest {
  readonly preset: string
  readonly runtime: string | null
  readonly startMs: number | null
  readonly problem?: string
}

/** Starts a guest of the preset, runs one cell in it, and ends it. */
export async function tryPreset(name: string, cwd: string): Promise<Guest> {
  let engine: EngineManager | undefined
  try {
    engine = new EngineManager({ preset: await loadPreset(name, cwd), cwd })
    const since = performance.now()
    await engine.start()
    const startMs = Math.round(performance.now() - since)
    const { result, error } = await engine.execute('6 * 7')
    if (result !== '42') return { preset: name, runtime: engine.runtimeVersion, startMs, problem: `a cell failed: ${error?.message ?? String(result)}` }
    return { preset: name, runtime: engine.runtimeVersion, startMs }
  } catch (error) {
    return { preset: name, runtime: null, startMs: null, problem: (error as Error).message }
  } finally {
    await engine?.dispose()
  }
}
