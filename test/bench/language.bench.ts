import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import type { EngineManager } from 'pi-rlm'
import { transform as transformText } from '../transform/transform.ts'
import { inTurn, openEngine, program } from './measure.ts'
import type { Bench, Row } from './row.ts'

// Processor time of the guest, not wall-clock time: other work on the machine must not count for either side.
const clocked = (before: string, work: string): string => `${before}\nconst from = process.cpuUsage()\n${work}\nconst took = process.cpuUsage(from).user / 1000`

/** Texts that run as a cell and as a module; the first part is not timed. */
const TEXTS: readonly (readonly [name: string, bar: number | Readonly<Record<'bun' | 'node', number>>, before: string, work: string])[] = [
  ['top-level loop, 1e7 steps, two names', { bun: 2, node: 3 }, '', 'let total = 0\nfor (let i = 0; i < 1e7; i++) total += i % 7'],
  ['top-level loop, 1e7 steps, floats', { bun: 2, node: 3 }, '', 'let weight = 0\nfor (let i = 0; i < 1e7; i++) weight += i * 0.5'],
  ['top-level loop, 1e7 steps, integers after floats', { bun: 2, node: 3 }, '', 'let weight = 0\nfor (let i = 0; i < 1e7; i++) weight += i % 7'],
  ['top-level loop, 1e6 pushes', { bun: 2, node: 3 }, '', 'let list = []\nfor (let i = 0; i < 1e6; i++) list.push(i)'],
  ['top-level loop, 1e7 writes to a property', { bun: 2, node: 3 }, 'const counts = { all: 0 }', 'for (let i = 0; i < 1e7; i++) counts.all += i & 3'],
  ['function writing a top-level name, 1e7', 1.5, 'let sum = 0\nfunction add(n) { for (let i = 0; i < n; i++) sum = (sum + i) % 1e6 }', 'add(1e7)'],
  ['function reading a top-level name, 1e7', 1.5, 'const factor = 3\nfunction sum(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + i * factor) % 1e6; return s }', 'sum(1e7)'],
  ['function calling a top-level function, 1e7', 1.5, 'const step = (s, i) => (s + i) % 1e6\nfunction run(n) { let s = 0; for (let i = 0; i < n; i++) s = step(s, i); return s }', 'run(1e7)'],
]

const names: Bench = {
  name: 'names',
  async run(guest) {
    const folder = mkdtempSync(join(tmpdir(), 'pi-rlm-bench-'))
    const engine = openEngine(guest, { cwd: folder })
    let modules = 0
    const rows: Row[] = []
    for (const [name, bar, before, work] of TEXTS) {
      const text = clocked(before, work)
      const asModule = async (): Promise<number> => {
        const file = `m${++modules}.mjs`
        writeFileSync(join(folder, file), `${text}\nexport default took`)
        return number(engine, `return (await import('./${file}')).default`)
      }
      const measured = await inTurn(7, () => number(engine, `${text}\ntook`), asModule)
      rows.push({ name, guest, ...measured, unit: 'ms', bar: typeof bar === 'number' ? bar : bar[guest] })
    }
    await engine.dispose()
    rmSync(folder, { recursive: true, force: true })
    return rows
  },
}

async function number(engine: EngineManager, cell: string): Promise<number> {
  const { value, error } = await engine.execute(cell, { json: true })
  if (typeof value !== 'number') throw new Error(error?.message ?? 'no number')
  return value
}

/** Ten lines of typed text as models write it. */
const typed = (i: number): string => `interface Row${i} { id: number; name?: string }
const rows${i}: Row${i}[] = [{ id: ${i} }, { id: ${i + 1}, name: 'b' }]
function total${i}(list: readonly Row${i}[], start = 0): number {
  let sum: number = start
  for (const { id, name = 'none' } of list) {
    if (name.length > 2) sum += id * factor
    else sum -= helper(id as number)
  }
  return sum
}
`

/** Cells before the first measured one. */
const WARM = 1_000

const transforms: Bench = {
  name: 'transform',
  async run(guest) {
    if (guest === 'bun' && process.versions['bun'] === undefined) return onBun()
    const { prepare, transform, blank, parse, compile } = await works()
    const rows: Row[] = []
    let cells = 0
    const textOf = (lines: number): string => Array.from({ length: lines / 10 }, (_, i) => typed(i)).join('')
    const read = (source: string): string => {
      const plain = blank(source)
      parse(plain, { sourceType: 'module', next: true, ranges: true })
      return plain
    }
    // Warm: an engine compiles the hottest of this code only after some thousand calls, whichever size comes first.
    for (let i = 0; i < WARM; i++) {
      const source = `${textOf(50)}// ${++cells}`
      transform(source)
      compile(read(source))
      await prepare({ id: 'a', number: cells, source })
    }
    for (const lines of [10, 200, 2_000]) {
      const text = textOf(lines)
      const repeat = Math.max(1, 3_200 / lines)
      // Processor time here, too.
      const each = (work: (source: string) => unknown) => async (): Promise<number> => {
        const from = process.cpuUsage()
        for (let i = 0; i < repeat; i++) await work(`${text}// ${++cells}`)
        return process.cpuUsage(from).user / 1000
      }
      rows.push({ name: `transform, warm: ${lines} lines of typed text`, guest, ...await inTurn(9, each(transform), each(read)), unit: 'ms', bar: 1.6 })
      rows.push({ name: 'the same, compiled', guest, ...await inTurn(9, each(source => prepare({ id: 'a', number: cells, source })), each(source => compile(read(source)))), unit: 'ms' })
    }
    return rows
  },
}

type Works = Readonly<Record<'transform' | 'blank', (source: string) => string>> & Readonly<Record<'prepare' | 'parse' | 'compile', (...given: unknown[]) => unknown>>

/** What is measured runs in this process: a cell's text to text, the same compiled, and the parts of the floors. */
async function works(): Promise<Works> {
  // The unbundled modules of the build.
  const dist = new URL('../../dist/', import.meta.url)
  const from = (path: string): Promise<Record<string, (...args: never[]) => unknown>> => import(new URL(path, dist).href) as Promise<Record<string, (...args: never[]) => unknown>>
  const [{ createCellEngine }, { Namespace }, { createGuestHooks }, strip, declarations, fast, { default: blank }, { parse }] = await Promise.all([
    from('guest/cell/index.js'), from('guest/namespace.js'), from('guest/hooks.js'), from('plugins/ts-strip/guest.js'), from('plugins/declarations/guest.js'),
    from('plugins/fast-names/guest.js'), import('ts-blank-space'), import('meriyah'),
  ])
  const namespace = Reflect.construct(Namespace as never, []) as NonNullable<Parameters<typeof transformText>[1]['namespace']>
  const parts = { namespace, hooks: Reflect.apply(createGuestHooks as never, null, []) as object, transforms: [] as unknown[], importers: [], preparations: [] as unknown[], cwd: () => tmpdir() }
  const half = { ...parts, transform: (each: unknown) => parts.transforms.push(each), prepare: (each: unknown) => parts.preparations.push(each) }
  for (const each of [strip, declarations, fast]) Reflect.apply(each['default'] as never, null, [half, { idleMs: 0 }])
  const { prepare } = Reflect.apply(createCellEngine as never, null, [parts]) as Pick<Works, 'prepare'>
  return {
    prepare, blank, parse: parse as Works['parse'],
    transform: source => transformText(source, { boxes: true, namespace }),
    compile: code => new Script(`(async function() {${String(code)}\n})`).runInThisContext() as unknown,
  }
}

/** The same bench in the other runtime. */
function onBun(): Row[] {
  const printed = execFileSync(program('bun'), [fileURLToPath(import.meta.url), 'transform', '--bun', '--json'], { encoding: 'utf8' })
  return JSON.parse(printed) as Row[]
}

const CELLS = 20_000

const memory: Bench = {
  name: 'many cells',
  async run(guest) {
    const engine = openEngine(guest)
    const resident = (): Promise<number> => number(engine, 'process.memoryUsage.rss() / 1048576')
    const upTo = async (from: number, to: number): Promise<void> => {
      for (let i = from; i < to; i++) await engine.execute(`const x = ${i}; const f = () => x + ${i}; function g(a) { return a * ${i} + f() }\n[f(), g(${i})].length`)
    }
    await upTo(0, CELLS / 4)
    const floor = await resident()
    await upTo(CELLS / 4, CELLS)
    const value = await resident()
    await engine.dispose()
    return [{ name: `guest memory after ${CELLS} cells over that after ${CELLS / 4}`, guest, value, floor, unit: 'MB', note: 'names are declared anew by each cell' }]
  },
}

export default [names, transforms, memory]
