import { test } from 'vitest'
import { type Guest, type Need, missing, type Version } from './installations.ts'
import { type ScriptedModel, startScriptedModel } from './model.ts'
import { Pi, type PiOptions } from './pi.ts'
import { type Script, shownAfter } from './script.ts'

export interface Scene {
  readonly pi: Pi
  readonly guest: Guest
  readonly model: ScriptedModel
  /** What the model was shown by its tools after a prompt. */
  shown(prompt: string): string[]
}
export interface SceneOptions extends Partial<Omit<PiOptions, 'version' | 'modelUrl'>> { readonly needs?: readonly Need[]; readonly timeout?: number }

const TIMEOUT_MS = 240_000

/** A test with a real pi. What the machine lacks is named and skipped; on a build server that is a failure. */
export function scene(version: Version, title: string, script: Script, options: SceneOptions, body: (scene: Scene) => Promise<void>): void {
  const { needs = [], timeout = TIMEOUT_MS, guest = 'bun', ...piOptions } = options
  const name = `pi ${version}${guest === 'bun' ? '' : `, ${guest} guest`}: ${title}`
  const lack = missing(version, ...needs)
  if (lack !== undefined && process.env['CI'] !== 'true') {
    test.skip(`${name} (skipped: ${lack})`, () => {})
    return
  }
  test(name, { timeout }, async () => {
    if (lack !== undefined) throw new Error(lack)
    const model = await startScriptedModel(script)
    const pi = new Pi({ version, modelUrl: model.url, guest, ...piOptions })
    try {
      await body({ pi, model, guest, shown: prompt => shownAfter(model.requests, prompt) })
      if (model.problems.length > 0) throw new Error(`the script was left: ${model.problems.join('\n')}`)
    } catch (error) {
      if (model.problems.length > 0) (error as Error).message += `\nscript: ${model.problems.join('\n')}`
      throw error
    } finally {
      await pi.remove()
      await model.close()
    }
  })
}
