import { afterAll, describe, expect, it } from 'vitest'
import { EngineManager, definePreset, type CellResult, type Preset } from '../../kernel/index.ts'
import { preset as standard } from '../../presets/default.ts'
import { preset as onNode } from '../../presets/node.ts'
import { type CorpusCase, problems, readCases } from './run.mjs'

const without = (preset: Preset, plugin: string): Preset =>
  definePreset({ ...preset, name: `${preset.name} without ${plugin}`, plugins: preset.plugins.filter(({ name }) => name !== plugin) })

// A name as a box and a name found by name must mean the same, so every case runs both ways on both guests.
const presets = [standard, onNode].flatMap(preset => [preset, without(preset, 'fast-names')])
const kinds = byKind(readCases())
/** Kinds that are about processes and output; how names are written is nothing to them. */
const besides = new Set(['async-output', 'binary-output', 'child-process', 'host-bridge', 'inspect', 'stdin', 'unhandled-rejection', 'utf8-chunks'])

/** The names of one case must not help the next. */
const FORGET = 'for (const { name } of rlm.names()) rlm.forget(name)'

function byKind(cases: readonly CorpusCase[]): Map<string, CorpusCase[]> {
  const groups = new Map<string, CorpusCase[]>()
  for (const each of cases) groups.set(each.kind, [...groups.get(each.kind) ?? [], each])
  return groups
}

describe.each(presets)('the corpus on preset $name', preset => {
  const open = (): EngineManager => new EngineManager({ preset })
  const shared = open()
  afterAll(() => shared.dispose())

  const boxes = preset.plugins.some(({ name }) => name === 'fast-names')
  it.each([...kinds.keys()].filter(kind => boxes || !besides.has(kind)))('holds for %s', async kind => {
    const wrong: string[] = []
    for (const each of kinds.get(kind) ?? []) {
      const engine = each.alone === true ? open() : shared
      const results: (CellResult | undefined)[] = []
      for (const { code } of each.cells) results.push(await engine.execute(code, { json: true, timeoutMs: 30_000 }))
      if (engine === shared) await engine.execute(FORGET)
      else await engine.dispose()
      wrong.push(...problems(each, results, results.map(result => result?.cell.number ?? 0)).map(problem => `${each.id} ${each.title}: ${problem}`))
    }
    expect(wrong).toEqual([])
  }, 240_000)
})
