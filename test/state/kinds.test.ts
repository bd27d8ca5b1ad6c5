import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RestoreReport, SnapshotReport } from '../../kernel/index.ts'
import { preset as bun } from '../../presets/default.ts'
import { preset as node } from '../../presets/node.ts'
import { openEngine } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { KINDS, type Outcome } from './support/kinds.ts'

const EXACT = new URL('./support/exact.mjs', import.meta.url).href
const nameOf = (index: number): string => `kind${index}`

/** What a guest made of every kind: by the reports, and by comparison with a fresh one. */
async function survey(preset: typeof bun): Promise<{ outcomes: Map<string, Outcome>; differences: Map<string, string[]>; reasons: Map<string, string> }> {
  const snapshot = { path: join(temporaryFolder(), 'state') }
  const first = openEngine({ preset, snapshot })
  for (const [index, [name, make]] of KINDS.entries()) expect(await first.execute(`${nameOf(index)} = ${make}; null`), name).toMatchObject({ status: 'ok' })
  const saved = await first.snapshotState()
  await first.dispose()
  const second = openEngine({ preset, snapshot })
  const report = await second.restoreState() as RestoreReport
  await second.execute(`differences = (await import(${JSON.stringify(EXACT)})).differences`)
  const differences = new Map<string, string[]>()
  const outcomes = new Map<string, Outcome>()
  for (const [index, [name, make]] of KINDS.entries()) {
    const outcome = outcomeOf(saved, report, nameOf(index))
    outcomes.set(name, outcome)
    if (outcome !== 'kept') continue
    const { error, value } = await second.execute(`{ const fresh = ${make}; differences(fresh, ${nameOf(index)}) }`.replace(/^\{ (.*); (differences.*) \}$/s, '(() => { $1; return $2 })()'), { json: true })
    expect(error, name).toBeUndefined()
    differences.set(name, value as string[])
  }
  return { outcomes, differences, reasons: new Map([...saved.failed, ...saved.lossy].map(({ name, reason }) => [KINDS[Number(name.slice(4))]?.[0] ?? name, reason])) }
}

function outcomeOf(saved: SnapshotReport, restored: RestoreReport, name: string): Outcome {
  const has = (list: readonly { readonly name: string }[]): boolean => list.some(each => each.name === name)
  if (has(saved.failed) && has(restored.lost)) return 'refused'
  if (has(saved.lossy) && has(restored.lost)) return 'loss'
  return 'kept'
}

const where = (line: string): boolean => !/stack$/.test(line)

describe.each([bun, node])('on preset $name', preset => {
  test(`what becomes of ${KINDS.length} kinds of value is what the table says, and nothing is lost without a word`, async () => {
    const { outcomes, differences, reasons } = await survey(preset)
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(KINDS.map(([name, , outcome]) => [name, outcome])))
    for (const [name, found] of differences) expect(found.filter(where), name).toEqual([])
    for (const [name, outcome] of outcomes) if (outcome !== 'kept') expect(reasons.get(name), name).toMatch(/\bis /)
  })
})
