import { EngineManager } from '../../../kernel/index.ts'
import { misuse } from '../misuse.ts'
import { loadPreset } from '../../load/preset.ts'
import type { StateFolder } from './read.ts'

/** Longest value that is printed, in characters. */
const LONGEST = 32 << 20

/** One saved value as text: JSON when it is plain data, as the notebook shows it otherwise. It is read by a guest that saves nothing. */
export async function exportName(state: StateFolder, name: string, cwd: string, asked: string | undefined): Promise<{ readonly json?: unknown; readonly text: string }> {
  const saved = state.names.find(each => each.name === name)
  const lost = state.lost.find(each => each.name === name)
  if (lost !== undefined) throw misuse(`'${name}' is not kept: it ${lost.reason}`)
  if (saved === undefined) throw misuse(`generation ${state.generation} has no '${name}'; it has ${state.names.map(each => each.name).join(', ') || 'no names'}`)
  const preset = await loadPreset(asked ?? (saved.codec.includes('jsc/') ? 'default' : 'node'), cwd)
  const engine = new EngineManager({ preset: { ...preset, plugins: preset.plugins.filter(plugin => plugin.name !== 'autosave') }, cwd, snapshot: { path: state.path } })
  try {
    await engine.restoreState(state.generation)
    const result = await engine.execute(name, { json: true, maxOutputChars: LONGEST })
    if (result.status !== 'ok') throw misuse(result.error?.message ?? `'${name}' could not be read`)
    return { text: result.result ?? 'undefined', ...('value' in result && { json: result.value }) }
  } finally { await engine.dispose() }
}
