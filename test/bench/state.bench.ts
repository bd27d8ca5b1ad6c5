import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineManager } from 'pi-rlm'
import { type GuestName, inTurn, median, openEngine, timed } from './measure.ts'
import type { Bench, Row } from './row.ts'

const MB = 1_000_000
/** Nothing is saved but what is measured. */
const QUIET = { autosave: { debounceMs: 3_600_000, maxWaitMs: 3_600_000, maxWaitCells: 1_000_000, maxValueBytes: 2 ** 30 } }

async function withState<T>(guest: GuestName, work: (engine: EngineManager, path: string) => Promise<T>): Promise<T> {
  const path = mkdtempSync(join(tmpdir(), 'pi-rlm-bench-'))
  const engine = openEngine(guest, { snapshot: { path: join(path, 'state') }, options: QUIET, cwd: path })
  try {
    await engine.start()
    return await work(engine, join(path, 'state'))
  } finally {
    await engine.dispose()
    rmSync(path, { recursive: true, force: true })
  }
}

async function run(engine: EngineManager, code: string): Promise<unknown> {
  const result = await engine.execute(code, { json: true })
  if (result.status !== 'ok') throw new Error(`${code}: ${result.error?.message}`)
  return result.value
}

/** Milliseconds that code takes inside the guest. */
const inside = async (engine: EngineManager, code: string): Promise<number> =>
  // Not names of the notebook: what a cell reads counts as touched, and a module may hold objects.
  await run(engine, `(() => { const fs = process.getBuiltinModule('node:fs'), v8 = process.getBuiltinModule('node:v8'); const from = performance.now(); ${code}; return performance.now() - from })()`) as number

const APPEND = 'const f = fs.openSync("floor", "a"); const from_ = performance.now(); fs.writeSync(f, Buffer.alloc(200)); fs.fsyncSync(f); const took = performance.now() - from_; fs.closeSync(f); return took'

async function oneOf(guest: GuestName, names: number): Promise<{ value: number; floor: number }> {
  return withState(guest, async engine => {
    for (let from = 0; from < names; from += 1000) await run(engine, `${Array.from({ length: Math.min(1000, names - from) }, (_, i) => `n${from + i} = { i: ${from + i}, s: "v" }`).join(';')}; null`)
    await engine.snapshotState()
    let turn = 0
    return inTurn(60, async () => {
      await run(engine, `n${(turn += 7) % names} = { i: ${turn} }; null`)
      return timed(() => engine.snapshotState())
    }, () => inside(engine, APPEND.replace('return took', '').replace('fs.closeSync(f);', 'fs.closeSync(f)')))
  })
}

const small: Bench = {
  name: 'snapshot, one small name',
  async run(guest) {
    const rows: Row[] = []
    for (const names of [10, 100, 1_000, 10_000]) rows.push({ name: `snapshot, one of ${names} small names touched`, guest, ...await oneOf(guest, names), unit: 'ms', ...(names >= 100 && { bar: 4 }) })
    const [hundred, most] = [rows[1]?.value ?? 0, rows[3]?.value ?? 0]
    return [...rows, { name: 'the same, 10,000 names over 100', guest, value: most, floor: hundred, unit: 'ms', bar: 1.5 }]
  },
}

/** What makes a value of so many megabytes, and what changes it a little. */
const LARGE = {
  string: { make: (size: number) => `big = "x".repeat(${size * MB - 1}) + "0"`, change: (n: number) => `big = big.slice(0, -1) + ${n % 10}; null` },
  bytes: { make: (size: number) => `big = new Uint8Array(${size * MB}).fill(7)`, change: (n: number) => `big[0] = ${n}; null` },
  objects: { make: (size: number) => `big = Array.from({ length: ${size * 9_000} }, (_, i) => ({ id: i, name: "item " + i, tags: ["a", "b"], price: i * 1.5, ok: i % 2 === 0 }))`, change: (n: number) => `big[0].id = ${n}; null` },
} as const

async function touched(guest: GuestName, kind: keyof typeof LARGE, size: number, rounds: number): Promise<{ value: number; floor: number; peak: number; blob: number }> {
  return withState(guest, async (engine, path) => {
    await run(engine, `${LARGE[kind].make(size)}; null`)
    await engine.snapshotState()
    let turn = 0
    let peak = 0
    const took = await inTurn(rounds, async () => {
      await run(engine, LARGE[kind].change(++turn))
      const before = memory(engine, true)
      const ms = await timed(() => engine.snapshotState())
      peak = Math.max(peak, memory(engine, false) - before)
      return ms
    }, () => inside(engine, 'const bytes = v8.serialize(big); const f = fs.openSync("floor", "w"); fs.writeSync(f, bytes); fs.fsyncSync(f); fs.closeSync(f)'))
    const blob = (await engine.snapshotState()).generation > 0 ? (readFileSync(join(path, 'log'), 'latin1').match(/"size":(\d+)/g)?.map(text => Number(text.slice(7))).reduce((a, b) => Math.max(a, b), 0) ?? 0) : 0
    return { ...took, peak, blob }
  })
}

/** Memory of a guest in megabytes: the present one, of which the peak then counts, or the peak. */
function memory(engine: EngineManager, reset: boolean): number {
  try {
    if (reset) writeFileSync(`/proc/${engine.guestPid}/clear_refs`, '5')
    const text = readFileSync(`/proc/${engine.guestPid}/status`, 'utf8')
    return Number(new RegExp(`${reset ? 'VmRSS' : 'VmHWM'}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1000
  } catch { return 0 }
}

const large: Bench = {
  name: 'snapshot, a large value',
  async run(guest) {
    const rows: Row[] = []
    for (const kind of ['string', 'bytes', 'objects'] as const) {
      const { peak, blob, ...took } = await touched(guest, kind, 100, 5)
      rows.push({ name: `snapshot of a touched 100 MB of ${kind}`, guest, ...took, unit: 'ms', bar: 1.5 }, { name: `the same: peak memory over the blob`, guest, value: peak, floor: blob / MB, unit: 'MB', bar: 1.3 })
    }
    for (const size of [1, 16, 256]) {
      const { value, floor } = await touched(guest, 'bytes', size, 5)
      rows.push({ name: `snapshot of touched bytes, ${size} MB`, guest, value, floor, unit: 'ms' })
    }
    return rows
  },
}

async function besides(guest: GuestName, make: string): Promise<() => Promise<number>> {
  const path = mkdtempSync(join(tmpdir(), 'pi-rlm-bench-'))
  const engine = openEngine(guest, { snapshot: { path: join(path, 'state') }, options: QUIET })
  await run(engine, `${make}; x = 0; null`)
  await engine.snapshotState()
  ends.push(async () => { await engine.dispose(); rmSync(path, { recursive: true, force: true }) })
  let turn = 0
  return async () => {
    await run(engine, `x = ${++turn}; null`)
    return timed(() => engine.snapshotState())
  }
}
const ends: (() => Promise<void>)[] = []

const untouched: Bench = {
  name: 'snapshot, a large value untouched',
  async run(guest) {
    const value = await besides(guest, 'big = Array.from({ length: 900_000 }, (_, i) => ({ id: i, name: "item " + i }))')
    const floor = await besides(guest, 'big = 0')
    const row = { name: 'snapshot beside an untouched 100 MB value', guest, ...await inTurn(40, value, floor), unit: 'ms', bar: 1.2 } as const
    for (const end of ends.splice(0)) await end()
    return [row]
  },
}

const restore: Bench = {
  name: 'restore',
  async run(guest) {
    const folder = mkdtempSync(join(tmpdir(), 'pi-rlm-bench-'))
    const path = join(folder, 'state')
    const options = { snapshot: { path }, options: { ...QUIET, 'lazy-restore': { minBytes: 131_072, minAgeCells: 8 } } }
    const first = openEngine(guest, options)
    for (let i = 0; i < 270; i++) await run(first, `cold${i} = new Uint8Array(1_700_000).fill(${i}); null`)
    for (let i = 0; i < 10; i++) await run(first, '1')
    for (let i = 0; i < 30; i++) await run(first, `hot${i} = new Uint8Array(1_400_000).fill(${i}); null`)
    await first.snapshotState()
    await first.dispose()
    const bare = openEngine(guest, { cwd: path })
    await bare.start()
    const memories: number[] = []
    const took = await inTurn(5, async () => {
      const engine = openEngine(guest, options)
      await engine.start()
      const before = memory(engine, true)
      const ms = await timed(() => engine.restoreState())
      memories.push(memory(engine, false) - before)
      await engine.dispose()
      return ms
    }, () => inside(bare, 'fs.readFileSync("log"); let n = 0; for (const name of fs.readdirSync("blobs").slice(0, 30)) n += fs.readFileSync("blobs/" + name).length'))
    await bare.dispose()
    rmSync(folder, { recursive: true, force: true })
    return [
      { name: 'restore, 300 names, 500 MB, 90 % cold', guest, ...took, unit: 'ms', bar: 1.5 },
      { name: 'the same: memory before the first cold read, over hot + 64 MB', guest, value: median(memories), floor: 42 + 64, unit: 'MB', bar: 1 },
    ]
  },
}

const meanwhile: Bench = {
  name: 'a cell during a snapshot',
  async run(guest) {
    return withState(guest, async engine => {
      await run(engine, 'big = new Uint8Array(100_000_000); null')
      const WORK = 'let sum = 0; for (let i = 0; i < 3e7; i++) sum += i; await new Promise(resolve => setTimeout(resolve, 20)); sum'
      let turn = 0
      const took = await inTurn(7, async () => {
        await run(engine, `big[0] = ${++turn}; null`)
        const saving = engine.snapshotState()
        await new Promise(resolve => { setTimeout(resolve, 60) })
        const ms = await timed(() => engine.execute(WORK))
        await saving
        return ms
      }, () => timed(() => engine.execute(WORK)))
      return [{ name: 'a cell started while a snapshot of 100 MB is written', guest, ...took, unit: 'ms', bar: 1.3 }]
    })
  },
}

export default [small, large, untouched, restore, meanwhile] satisfies readonly Bench[]
