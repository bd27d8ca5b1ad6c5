import { Type } from '@sinclair/typebox'
import { definePlugin, type EngineManager } from 'pi-rlm'
import { builtinsOf } from './builtins.ts'
import { Floor, type GuestName, inTurn, median, openEngine, percentile, timed } from './measure.ts'
import type { Bench, Row } from './row.ts'

async function untilFloor(guest: GuestName, ...args: string[]): Promise<number> {
  const builtins = await builtinsOf(guest)
  let floor: Floor | undefined
  const took = await timed(() => (floor = new Floor(guest, builtins, ...args)).ready)
  await floor?.end()
  return took
}

async function untilReady(guest: GuestName, cell?: string): Promise<number> {
  let engine: EngineManager | undefined
  const took = await timed(() => {
    engine = openEngine(guest)
    return cell === undefined ? engine.start() : engine.execute(cell)
  })
  engine?.kill()
  await engine?.remains()
  return took
}

const start: Bench = {
  name: 'start',
  async run(guest) {
    const ready = await inTurn(9, () => untilReady(guest), () => untilFloor(guest))
    const first = await inTurn(9, () => untilReady(guest, '1+1'), () => untilFloor(guest))
    const typed = await inTurn(5, () => untilReady(guest, 'enum Kind { A = 1 }; const k: Kind = Kind.A; k'), () => untilFloor(guest, 'typescript'))
    return [
      { name: 'ready: spawn to ready', guest, ...ready, unit: 'ms', bar: 2 },
      { name: 'first result, cold: 1+1', guest, ...first, unit: 'ms', bar: 2 },
      { name: 'first result, cold: a typed cell', guest, ...typed, unit: 'ms', bar: 1.3 },
    ]
  },
}

const trivial: Bench = {
  name: 'trivial cell',
  async run(guest) {
    const engine = openEngine(guest)
    const floor = new Floor(guest, await builtinsOf(guest))
    await Promise.all([engine.execute('1'), floor.ready])
    const values: number[] = []
    const floors: number[] = []
    for (let i = 0; i < 2_300; i++) {
      const value = await timed(() => engine.execute('1+1'))
      const bare = await timed(() => floor.ask())
      if (i >= 300) { values.push(value * 1000); floors.push(bare * 1000) }
    }
    await Promise.all([engine.dispose(), floor.end()])
    return [
      { name: 'trivial cell, p50 of 2,000', guest, value: median(values), floor: median(floors), unit: 'us', bar: 4 },
      { name: 'trivial cell, p99 over p50 of the floor', guest, value: percentile(values, 0.99), floor: median(floors), unit: 'us', bar: 30 },
    ]
  },
}

const echo = definePlugin({
  name: 'bench-echo',
  host(host) { host.method({ handle: 'bench', name: 'echo', params: Type.Object({ n: Type.Number() }), run: ({ n }) => n }) },
})

const CALLS = 10_000

const bridge: Bench = {
  name: 'bridge',
  async run(guest) {
    const engine = openEngine(guest, { plugins: [echo()] })
    const floor = new Floor(guest, await builtinsOf(guest))
    await Promise.all([engine.execute('1'), floor.ready])
    const cell = (code: string) => async (): Promise<number> => {
      const { result, error } = await engine.execute(`{ const from = performance.now(); ${code}; var took = performance.now() - from } took`)
      if (error !== undefined) throw new Error(error.message)
      return Number(result)
    }
    const turn = await inTurn(5, cell(`for (let n = 0; n < ${CALLS}; n++) await bench.echo({ n })`), () => timed(async () => { for (let n = 0; n < CALLS; n++) await floor.ask() }))
    const once = await inTurn(5, cell(`await Promise.all(Array.from({ length: ${CALLS} }, (_, n) => bench.echo({ n })))`), () => timed(() => Promise.all(Array.from({ length: CALLS }, () => floor.ask()))))
    await Promise.all([engine.dispose(), floor.end()])
    return [
      { name: 'bridge, 10,000 calls in turn', guest, ...turn, unit: 'ms', bar: 3 },
      { name: 'bridge, 10,000 calls at once', guest, ...once, unit: 'ms', bar: 3 },
    ]
  },
}

const rss = async (pid: number): Promise<number> => {
  const { readFile } = await import('node:fs/promises')
  return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}
const ENGINES = 64

const many: Bench = {
  name: '64 engines',
  async run(guest) {
    let engines: readonly EngineManager[] = []
    const value = await timed(() => {
      engines = Array.from({ length: ENGINES }, () => openEngine(guest))
      return Promise.all(engines.map(engine => engine.execute('1+1')))
    })
    const memory = median(await Promise.all(engines.map(engine => rss(engine.guestPid as number))))
    await Promise.all(engines.map(engine => engine.dispose()))
    const builtins = await builtinsOf(guest)
    let floors: readonly Floor[] = []
    const bare = await timed(() => {
      floors = Array.from({ length: ENGINES }, () => new Floor(guest, builtins))
      return Promise.all(floors.map(floor => floor.ready))
    })
    const bareMemory = median(await Promise.all(floors.map(floor => rss(floor.child.pid as number))))
    await Promise.all(floors.map(floor => floor.end()))
    const rows: Row[] = [
      { name: '64 engines at once: time to first result', guest, value, floor: bare, unit: 'ms', bar: 2 },
      { name: '64 engines at once: memory each', guest, value: memory, floor: bareMemory, unit: 'MB', bar: 1.8 },
    ]
    return rows
  },
}

export default [start, trivial, bridge, many] satisfies readonly Bench[]
