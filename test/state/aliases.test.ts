import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { preset as bun } from '../../presets/default.ts'
import { preset as node } from '../../presets/node.ts'
import { type EngineManager, openEngine, type Preset } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'

const QUIET = { autosave: { debounceMs: 3_600_000, maxWaitMs: 3_600_000, maxWaitCells: 1_000_000 } }

/** Large values with the change of a place in the middle: `it` is the value, `is` says of the name whether the change is there. */
const VALUES = {
  numbers: { make: 'Array.from({ length: 5000 }, (_, i) => i)', change: 'it[777] = -1', is: 'v[777] === -1' },
  texts: { make: 'Array.from({ length: 5000 }, (_, i) => "text " + i)', change: 'it[777] = "Text 777"', is: 'v[777] === "Text 777"' },
  deep: { make: 'Array.from({ length: 5000 }, (_, i) => ({ at: { i } }))', change: 'it[777].at.i = -1', is: 'v[777].at.i === -1' },
  holes: { make: 'Array.from({ length: 20_000 }, () => undefined)', change: 'delete it[7777]', is: '!(7777 in v)' },
  map: { make: 'new Map(Array.from({ length: 3000 }, (_, i) => [i, { i }]))', change: 'it.get(1500).i = -1', is: 'v.get(1500).i === -1' },
  set: { make: 'new Set(Array.from({ length: 3000 }, (_, i) => i))', change: 'it.delete(1500); it.add(1500)', is: '[...v].at(-1) === 1500' },
  fields: { make: 'Object.fromEntries(Array.from({ length: 5000 }, (_, i) => ["k" + i, i]))', change: 'it.k777 = -1', is: 'v.k777 === -1' },
  bytes: { make: 'new Uint8Array(200_003)', change: 'it[777] = 9', is: 'v[777] === 9' },
  view: { make: 'new Float64Array(new ArrayBuffer(80_008), 8, 10_000)', change: 'new Uint8Array(it.buffer)[4001] = 9', is: 'new Uint8Array(v.buffer)[4001] === 9' },
  text: { make: 'Object.assign(Array.from({ length: 600 }, () => 0), { 300: "a".repeat(200_000) })', change: 'it[300] = "a".repeat(100_000) + "b" + "a".repeat(99_999)', is: 'v[300][100_000] === "b"' },
} as const

/** Who holds the value beside its name; `go` then makes the change. */
const HOLDERS = {
  'a global': { hold: 'globalThis.alias = it', go: (change: string) => `{ const it = globalThis.alias; ${change} }` },
  'a timer': { hold: 'setTimeout(() => { CHANGE; globalThis.over = true }, 400)', go: () => 'while (!globalThis.over) await new Promise(resolve => setTimeout(resolve, 5))' },
  'a listener': { hold: 'process.once("SIGUSR2", () => { CHANGE; globalThis.over = true })', go: () => 'process.kill(process.pid, "SIGUSR2"); while (!globalThis.over) await new Promise(resolve => setTimeout(resolve, 5))' },
} as const

type Kind = keyof typeof VALUES
const KINDS = Object.keys(VALUES) as Kind[]

async function open(preset: Preset, path: string): Promise<{ engine: EngineManager; run: (code: string) => Promise<void> }> {
  const engine = openEngine({ preset, snapshot: { path }, options: QUIET })
  await engine.restoreState()
  return { engine, run: async code => { expect(await engine.execute(`${code}; null`), code).toMatchObject({ status: 'ok' }) } }
}

const all = (names: readonly Kind[], code: (kind: Kind) => string): string => names.map(kind => `{ ${code(kind)} }`).join('\n')

/** Names whose change is not on disk. */
async function missing(preset: Preset, path: string): Promise<string[]> {
  const { engine } = await open(preset, path)
  const { value } = await engine.execute(`[${KINDS.map(kind => `[${JSON.stringify(kind)}, (v => ${VALUES[kind].is})(${kind})]`).join()}].filter(([, is]) => !is).map(([name]) => name)`, { json: true })
  engine.kill()
  return value as string[]
}

describe.each([bun, node])('on preset $name', preset => {
  test.each(Object.keys(HOLDERS) as (keyof typeof HOLDERS)[])('a change anywhere in a large value by %s is saved or reported as possibly stale, and saved by the next save at rest', async holder => {
    const path = join(temporaryFolder(), 'state')
    const { hold, go } = HOLDERS[holder]
    const { engine, run } = await open(preset, path)
    await run(KINDS.map(kind => `var ${kind} = ${VALUES[kind].make}`).join('\n'))
    await engine.snapshotState()
    // One holder after another, each with the change of its own value.
    const holds = (kind: Kind): string => `const it = ${kind}; ${hold.replace('globalThis.alias', `globalThis.alias_${kind}`).replace('CHANGE', VALUES[kind].change).replace('globalThis.over = true', `globalThis.over = (globalThis.count = (globalThis.count ?? 0) + 1) === ${KINDS.length}`)}`
    await run(all(KINDS, holds))
    await engine.snapshotState()
    if (holder === 'a global') await run(all(KINDS, kind => go(VALUES[kind].change).replace('globalThis.alias', `globalThis.alias_${kind}`)))
    else await run(go(''))
    const { stale } = await engine.snapshotState()
    const first = await missing(preset, await copied(path))
    expect(first.filter(name => !stale.includes(name))).toEqual([])
    const rest = await engine.snapshotState()
    expect(rest.stale).toEqual([])
    engine.kill()
    expect(await missing(preset, path)).toEqual([])
  })

  test('a change by a timer that runs after the last cell is in the save at the end', async () => {
    const path = join(temporaryFolder(), 'state')
    const { engine, run } = await open(preset, path)
    await run(`${KINDS.map(kind => `var ${kind} = ${VALUES[kind].make}`).join('\n')}; ${all(KINDS, kind => `const it = ${kind}; setTimeout(() => { ${VALUES[kind].change} }, 100)`)}`)
    await engine.snapshotState()
    await new Promise(resolve => { setTimeout(resolve, 2_500) })
    await engine.dispose()
    expect(await missing(preset, path)).toEqual([])
  })

  test('an unchanged large value beside a busy cell is no longer a suspect once it was looked at in idle time', async () => {
    const { engine, run } = await open(preset, join(temporaryFolder(), 'state'))
    await run('var large = Array.from({ length: 300_000 }, (_, i) => i); var x = 0')
    await engine.snapshotState()
    // The second save has time for the fingerprint.
    await run('large.length')
    await engine.snapshotState()
    await engine.snapshotState()
    await run('x = 1')
    await expect.poll(async () => { await run('x = 2'); await new Promise(resolve => { setTimeout(resolve, 500) }); return (await engine.snapshotState()).stale }, { timeout: 30_000 }).toEqual([])
    expect((await engine.snapshotState()).written).toEqual([])
  })
})

async function copied(path: string): Promise<string> {
  const copy = join(temporaryFolder(), 'state')
  await cp(path, copy, { recursive: true, filter: from => !from.endsWith('lock') })
  return copy
}
