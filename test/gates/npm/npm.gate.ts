import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Workbench, openRegistry } from '../../npm/support/notebook.ts'
import type { Fault } from '../../npm/support/registry.ts'
import { pause, until } from '../../support/engine.ts'
import type { Gate, GateContext } from '../gate.ts'

const IMPORT = '(await import("npm:shared@1")).version'
const CELL_MS = 30_000
const CANCEL_MS = 1000

/** What a registry may do, and the codes that fit it; a tarball fault spares the package's description. */
const FAULTS: readonly (readonly [(path: string) => Fault | undefined, RegExp])[] = [
  [() => 'silent', /TIMEOUT/],
  [path => path.includes('/-/') ? 'drip' : undefined, /TIMEOUT/],
  [() => 404, /NOT_FOUND/],
  [() => 'bad-hash', /BAD_HASH/],
  [() => 'drop', /NO_NETWORK/],
  [path => path.includes('/-/') ? 'truncated' : undefined, /NO_NETWORK|BAD_HASH/],
  [() => 500, /NO_NETWORK/],
]

const DAMAGES: readonly ((entry: string) => void)[] = [
  entry => { writeFileSync(join(entry, 'node_modules/shared/index.js'), 'export const version = "forged"\n') },
  entry => { rmSync(join(entry, 'node_modules/shared/index.js')) },
  entry => { truncateSync(join(entry, 'node_modules/shared/index.js'), 5) },
  entry => { rmSync(join(entry, 'manifest.json')) },
  entry => { truncateSync(join(entry, 'load.mjs'), 0) },
]

async function openBench({ preset }: GateContext): Promise<Workbench> {
  const bench = new Workbench(preset, await openRegistry())
  bench.registry.publish('shared', '1.0.0')
  return bench
}

/** Many guests import one package at once from a cold cache. */
async function crowd(context: GateContext, guests: number): Promise<void> {
  const bench = await openBench(context)
  const notebooks = Array.from({ length: guests }, () => bench.open())
  const results = await Promise.all(notebooks.map(notebook => notebook.execute(IMPORT)))
  for (const result of results) expect(result).toMatchObject({ status: 'ok', result: '\'1.0.0\'' })
  expect(bench.list('entries')).toHaveLength(1)
  expect(bench.list('staging')).toEqual([])
  await Promise.all(notebooks.map(notebook => notebook.dispose()))
  context.done()
}

/** A guest is killed somewhere in an install; the next one finds no half entry and sweeps what is left. */
async function kills(context: GateContext, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const bench = await openBench(context)
    const victim = bench.open()
    await victim.start()
    const running = victim.execute(IMPORT).catch((error: unknown) => error)
    await until('an install has begun', () => bench.list('staging').length > 0 || bench.list('entries').length > 0)
    await pause(Math.random() * 600)
    victim.kill()
    await running
    await until('the installer is gone', () => bench.installers().length === 0, 2000)
    const next = bench.open()
    const result = await next.execute(IMPORT)
    expect(result).toMatchObject({ status: 'ok', result: '\'1.0.0\'' })
    expect(result.stderr).not.toContain('damaged')
    await until('what the dead left is swept', () => bench.list('staging').length === 0)
    expect(bench.list('entries')).toHaveLength(1)
    await next.dispose()
    context.done()
  }
}

/** A registry that misbehaves gives an error that names package and cause in time, and the next try works. */
async function faults(context: GateContext, cases: typeof FAULTS): Promise<void> {
  for (const [fault, code] of cases) {
    const bench = await openBench(context)
    bench.registry.fault = fault
    const notebook = bench.open()
    const result = await notebook.execute(IMPORT, { timeoutMs: CELL_MS })
    expect(result).toMatchObject({ status: 'error', error: { name: 'NpmImportError', code: expect.stringMatching(code) as string, message: expect.stringContaining('npm:shared@1') as string } })
    bench.registry.fault = () => undefined
    expect(await notebook.execute(IMPORT)).toMatchObject({ status: 'ok' })
    expect(bench.list('staging')).toEqual([])
    await notebook.dispose()
    context.done()
  }
}

/** A cancel ends the installer; another cell may import at once. */
async function cancel(context: GateContext): Promise<void> {
  const bench = await openBench(context)
  bench.registry.fault = () => 'silent'
  const notebook = bench.open()
  await notebook.start()
  const controller = new AbortController()
  const running = notebook.execute(IMPORT, { signal: controller.signal })
  await until('the installer runs', () => bench.installers().length > 0)
  const cancelled = performance.now()
  controller.abort()
  expect(await running).toMatchObject({ status: 'aborted' })
  await until('the installer is gone', () => bench.installers().length === 0)
  context.figure(`cancel to the installer's end ${Math.round(performance.now() - cancelled)} ms`)
  if (context.full) expect(performance.now() - cancelled).toBeLessThan(CANCEL_MS)
  await until('its staging folder is gone', () => bench.list('staging').length === 0)
  context.done()
}

async function damages(context: GateContext, cases: typeof DAMAGES): Promise<void> {
  const bench = await openBench(context)
  await bench.open().execute(IMPORT)
  for (const damage of cases) {
    damage(bench.list('entries')[0] ?? '')
    const result = await bench.open().execute(IMPORT)
    expect(result).toMatchObject({ status: 'ok', result: '\'1.0.0\'' })
    expect(result.stderr).toContain('is damaged')
    context.done()
  }
  expect(bench.list('aside')).toHaveLength(cases.length)
}

const FULL = { crowds: 10, guests: 20, kills: 50, faults: FAULTS, damages: DAMAGES }
const SHORT = { crowds: 1, guests: 4, kills: 2, faults: [...FAULTS.slice(2, 4)], damages: DAMAGES.slice(0, 1) }
const roundsOf = ({ crowds, kills: killed, faults: wrong, damages: hurt }: typeof FULL): number => crowds + killed + wrong.length + hurt.length + 1

export default {
  name: 'npm',
  bar: 'guests that import one package at once, are killed meanwhile, meet a bad registry or damage end with one sound entry or an error that names the cause',
  rounds: { full: roundsOf(FULL), short: roundsOf(SHORT) },
  guards: [
    { takenOut: 'the check against the manifest', edits: [{ file: 'plugins/npm-cache/guest/publish.ts', find: 'const what = await damageOf(folder, manifest)', replace: 'const what = await (async (..._: unknown[]): Promise<string | undefined> => undefined)(damageOf)' }] },
    { takenOut: 'the sweep of what dead guests left', edits: [{ file: 'plugins/npm-cache/guest/staging.ts', find: 'for (const folder of [...left.map(claim => claim.folder), ...old]) await discard(folder)', replace: 'for (const folder of old) await discard(folder); void left' }] },
    { takenOut: 'the publishing by rename', edits: [{ file: 'plugins/npm-cache/guest/install.ts', find: 'const staged = path.join(claim.folder, \'entry\')', replace: 'const staged = path.join(layout.entries, `${request.name}@1.0.0`)' }] },
  ],
  async run(context) {
    const plan = context.full ? FULL : SHORT
    for (let round = 0; round < plan.crowds; round++) await crowd(context, plan.guests)
    await kills(context, plan.kills)
    await faults(context, plan.faults)
    await cancel(context)
    await damages(context, plan.damages)
  },
} satisfies Gate
