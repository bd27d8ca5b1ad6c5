import type { RestoreReport, SnapshotReport } from '../../../kernel/index.ts'
import { randomFrom } from './disks.ts'

/** Names a program works on. */
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
/** The model: the names as the host has them. `hidden` holds closures over objects, as timers and callbacks do. */
interface World { names: Record<string, unknown>; hidden: Record<string, () => void> }

/** Everything in a graph of names as text: values, identity across names, order of keys. The same code runs in the guest. */
const DESCRIBE = `(function describe(names) {
  const ids = new Map()
  const tell = value => {
    if (typeof value === 'function') return 'function'
    if (typeof value !== 'object' || value === null) return typeof value + ':' + (Object.is(value, -0) ? '-0' : String(value))
    if (ids.has(value)) return '#' + ids.get(value)
    ids.set(value, ids.size)
    const own = ids.get(value) + '='
    if (value instanceof Date) return own + 'Date:' + value.getTime()
    if (value instanceof Map) return own + 'Map(' + [...value].map(([k, v]) => tell(k) + '>' + tell(v)).join() + ')'
    if (value instanceof Set) return own + 'Set(' + [...value].map(tell).join() + ')'
    return own + (Array.isArray(value) ? 'List' : 'Object') + '{' + Object.keys(value).map(key => key + ':' + tell(value[key])).join() + '}'
  }
  return names.map(([name, value]) => name + '=' + tell(value)).join('\\n')
})`
const describeInHost = (0, eval)(DESCRIBE) as (names: [string, unknown][]) => string

/** One step of a program: text for the cell, where \`NAME\` is written as the guest or as the model writes it. */
type Write = (name: string) => string
type Step = (write: Write) => string

function randomStep(random: () => number, world: World, count: number): Step {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const bound = NAMES.filter(name => name in world.names)
  const objects = bound.filter(name => typeof world.names[name] === 'object' && world.names[name] !== null)
  const name = pick(NAMES)
  const other = objects.length > 0 ? pick(objects) : null
  const target = objects.length > 0 ? pick(objects) : null
  const put = (value: string): Step => write => `${write(name)} = ${value}`
  const change = (at: (text: string) => string): Step => target === null ? put(`[${count}]`) : write => at(write(target))
  // Closures over objects are what is hardest to follow: they come more often than in life.
  const kind = Math.floor(random() * 21)
  switch (kind) {
    case 0: return put(String(count))
    case 1: return put(`'text ${count}'`)
    case 2: return put(`[${count}, -0, { n: ${count} }]`)
    case 3: return put(`({ n: ${count}, list: [], at: new Date(${count}) })`)
    case 4: return put(`new Map([['k', ${count}], [{ key: ${count} }, [${count}]]])`)
    case 5: return put(`new Set([${count}])`)
    case 6: return other === null ? put('{}') : write => `${write(name)} = ${write(other)}`
    case 7: return other === null ? put('[]') : write => `${write(name)} = [${write(other)}, ${count}]`
    case 8: return other === null ? put('[]') : write => `${write(name)} = { inner: ${write(other)} }`
    case 9: return change(at => `grow(${at}, ${count})`)
    case 10: return change(at => `dig(${at}, ${count})`)
    case 11: return change(at => `shrink(${at})`)
    case 12: return other === null || target === null ? put('1') : write => `attach(${write(target)}, ${write(other)})`
    case 13: case 15: case 16: return target === null ? put('2') : write => `hold(${write(target)}, ${count})`
    case 14: return put(`Array.from({ length: 700 }, (_, n) => n + ${count})`)
    default: return () => `release(${count})`
  }
}

/**
 * Helpers of both worlds. `grow` changes a long list in its middle, where no sample looks; `hold` keeps a closure over an
 * object; `release` lets all of them change what they hold, later.
 */
const HELPERS = `
  globalThis.hidden ??= {}
  const grow = (o, n) => { if (Array.isArray(o) && o.length > 600) o[o.length >> 1] = n; else if (Array.isArray(o)) o.push(n); else if (o instanceof Map) o.set('n' + n, n); else if (o instanceof Set) o.add(n); else o['n' + n] = n }
  const dig = (o, n) => { const inner = o instanceof Map || o instanceof Set ? [...o.values()].find(v => typeof v === 'object' && v) : Object.values(o).find(v => typeof v === 'object' && v); if (inner && !(inner instanceof Date)) grow(inner, n) }
  const shrink = o => { if (Array.isArray(o)) o.pop(); else if (o instanceof Map || o instanceof Set) o.delete([...o.keys()].at(-1)); else delete o[Object.keys(o).at(-1)] }
  const attach = (o, other) => { if (Array.isArray(o)) o.push(other); else if (o instanceof Map) o.set('other', other); else if (o instanceof Set) o.add(other); else o.other = other }
  const hold = (o, n) => { globalThis.hidden[n] = () => grow(o, 'h' + n) }
  const release = () => { for (const change of Object.values(globalThis.hidden)) change(); globalThis.hidden = {} }`

const inGuest = (step: Step, later: boolean): string => {
  const text = step(name => name)
  return `{ ${HELPERS}\n${later ? `setTimeout(() => { ${text}; globalThis.late = false }, 1); globalThis.late = true` : text} }; null`
}

function inModel(step: Step, world: World): void {
  const text = step(name => `names.${name}`)
  const run = new Function('names', 'globalThis', `${HELPERS}\n${text}`) as (names: World['names'], world: World) => void
  run(world.names, world)
}

export interface ProgramResult { readonly names: number; readonly stale: number; readonly falselyStale: number; readonly restores: number }

/** What a program needs of a notebook. It saves only where the program says so. */
export interface Programmed {
  execute(code: string, options?: { json: true }): Promise<{ readonly status: string; readonly value?: unknown; readonly error?: { readonly message: string } | undefined }>
  snapshotState(): Promise<SnapshotReport>
  restoreState(): Promise<RestoreReport | null>
  kill(): void
}

/** Runs one random program in the guest and in the model; after each restore both have to be the same. `open` opens the notebook after a kill, too. */
export async function runProgram(open: () => Programmed, seed: number, cells: number): Promise<ProgramResult> {
  const random = randomFrom(seed)
  const world: World = { names: {}, hidden: {} }
  let saved: Record<string, unknown> = {}
  let named = new Set<string>()
  const trail: string[] = []
  const total = { names: 0, stale: 0, falselyStale: 0, restores: 0 }
  let engine = open()
  await engine.restoreState()

  const run = async (code: string): Promise<void> => {
    const result = await engine.execute(code)
    if (result.status !== 'ok') throw new Error(`seed ${seed}: ${code}\n${result.error?.message}\n${trail.join('\n')}`)
  }
  const compare = async (skip: ReadonlySet<string>): Promise<void> => {
    const names = NAMES.filter(name => !skip.has(name))
    const found = await engine.execute(`(${DESCRIBE})([${names.map(name => `['${name}', typeof ${name} === 'undefined' ? undefined : ${name}]`).join()}])`, { json: true })
    const expected = describeInHost(names.map(name => [name, world.names[name]]))
    if (found.value !== expected) throw new Error(`seed ${seed} has\n${typeof found.value === 'string' ? found.value : found.error?.message}\ninstead of\n${expected}\nafter\n${trail.join('\n')}`)
  }
  const save = async (): Promise<void> => {
    const report = await engine.snapshotState()
    saved = structuredClone(world.names)
    named = new Set([...report.failed, ...report.lossy].map(({ name }) => name))
    total.names += report.saved.length
    total.stale += report.stale.length
    for (const name of report.stale) named.add(name)
    stale = report.stale
    trail.push(`-- saved ${report.generation}, stale ${report.stale.join()}`)
  }
  let stale: readonly string[] = []
  const restart = async (): Promise<void> => {
    engine.kill()
    engine = open()
    await engine.restoreState()
    world.names = structuredClone(saved)
    world.hidden = {}
    total.restores += 1
    trail.push('-- killed and restored')
    await compare(named)
    if (stale.length > 0) {
      const found = await engine.execute(`(${DESCRIBE})([${stale.map(name => `['${name}', ${name}]`).join()}])`, { json: true })
      if (found.value === describeInHost(stale.map(name => [name, world.names[name]]))) total.falselyStale += stale.length
    }
    // What may be stale is not the model's any more: both start from what was saved.
    for (const name of stale) {
      await engine.execute(`rlm.forget('${name}')`)
      Reflect.deleteProperty(world.names, name)
      Reflect.deleteProperty(saved, name)
    }
    stale = []
  }

  for (let cell = 0; cell < cells; cell++) {
    const dice = random()
    if (dice < 0.12) { await save(); continue }
    if (dice < 0.16 && total.names > 0) { await restart(); continue }
    const gone = NAMES.filter(name => name in world.names)
    if (dice < 0.2 && gone.length > 0) {
      const name = gone[Math.floor(random() * gone.length)] as string
      await run(`rlm.forget('${name}')`)
      Reflect.deleteProperty(world.names, name)
      Reflect.deleteProperty(saved, name)
      trail.push(`forget ${name}`)
      continue
    }
    const step = randomStep(random, world, cell)
    const later = random() < 0.15
    inModel(step, world)
    await run(inGuest(step, later))
    trail.push(`${step(name => name)}${later ? ' (by a timer)' : ''}`)
    if (later) await run('while (globalThis.late) await new Promise(resolve => setTimeout(resolve, 1))')
  }
  await compare(new Set())
  await save()
  await restart()
  engine.kill()
  return total
}
