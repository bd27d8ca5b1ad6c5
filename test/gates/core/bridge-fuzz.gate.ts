import { Type } from '@sinclair/typebox'
import { expect } from 'vitest'
import { definePlugin, type EngineManager } from '../../../kernel/index.ts'
import { until } from '../../support/engine.ts'
import type { Gate } from '../gate.ts'

let running = 0
const hard = definePlugin({
  name: 'hard',
  host(host) {
    const method = (name: string, run: (args: { x?: unknown }, signal: AbortSignal) => unknown): void => {
      host.method({
        handle: 'hard', name, params: Type.Object({ x: Type.Optional(Type.Unknown()) }),
        async run(args, { signal }) {
          running++
          try { return await run(args, signal) as never } finally { running-- }
        },
      })
    }
    method('echo', ({ x }) => x)
    method('fail', () => { throw new Error('refused by the method') })
    method('cycle', () => { const loop: Record<string, unknown> = {}; loop['loop'] = loop; return loop })
    method('bigint', () => 1n)
    method('wait', (_, signal) => new Promise((resolve, reject) => { const timer = setTimeout(resolve, 30); signal.addEventListener('abort', () => { clearTimeout(timer); reject(new Error('aborted')) }) }))
  },
})

/** Two hundred calls a cell: each answers with a value or an error that has a name; none may hang. */
const FUZZ = (seed: number, calls: number): string => `
  const loop = {}; loop.loop = loop
  const values = [undefined, null, 0, -0, NaN, 1n, Symbol('s'), () => 1, loop, [loop], new Map([[1, 2]]), new Date(0), { toJSON() { throw 1 } }, JSON.parse('{"__proto__":{"polluted":1}}'),
    { constructor: { prototype: { polluted: 1 } } }, { get x() { throw new Error('getter') } }, new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 } }), 'x'.repeat(200_000), '\\ud800', { x: 1 }, { x: { y: [1, 'z', null] } }, { y: 1 }, [1, 2], new Uint8Array(9), Object.create(null)]
  const names = ['echo', 'fail', 'cycle', 'bigint', 'wait', 'nope', '__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'a b', 'then2']
  let seed = ${seed}
  const next = limit => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % limit }
  const calls = []
  for (let i = 0; i < ${calls}; i++) {
    const name = names[next(names.length)], value = values[next(values.length)]
    let call
    try { const method = hard[name]; call = typeof method === 'function' ? method(next(4) === 0 ? value : { x: value }) : 'no such method' } catch (error) { call = Promise.reject(error) }
    calls.push(Promise.resolve(call).then(() => 'answered', error => typeof error?.message === 'string' && error.message !== '' ? 'refused' : 'nameless'))
  }
  const outcomes = await Promise.all(calls)
  const count = kind => outcomes.filter(outcome => outcome === kind).length
  ;[count('answered'), count('refused'), count('nameless'), ({}).polluted === undefined]`

export default {
  name: 'bridge fuzz',
  bar: 'every hostile call across the bridge ends in a result or an error with a name, and nothing stays pending',
  rounds: { full: 2_000, short: 400 },
  guards: [
    { takenOut: 'the refusal of a reply that is not JSON', edits: [{ file: 'kernel/calls.ts', find: '(JSON.stringify(value ?? null) as string | undefined) ?? \'null\'', replace: '\'\'' }] },
    { takenOut: 'the answer to a call that fails', edits: [{ file: 'kernel/calls.ts', find: 'const refusal: Refusal = { type: \'refuse\', call: frame.call,', replace: 'const refusal: Refusal = { type: \'refuse\', call: -1,' }] },
  ],
  async run({ engine, rounds, done, figure }) {
    const notebook = engine({ plugins: [hard()] })
    let answered = 0
    let refused = 0
    for (let at = 0; at < rounds; at += 200) {
      const { value, status, error } = await notebook.execute(FUZZ(at + 1, 200), { json: true, timeoutMs: 30_000 })
      expect(status, JSON.stringify(error)).toBe('ok')
      const [ok, failed, nameless, clean] = value as [number, number, number, boolean]
      expect(ok + failed).toBe(200)
      expect(nameless).toBe(0)
      expect(clean).toBe(true)
      answered += ok
      refused += failed
      done(200)
    }
    await afterTheEnd(notebook)
    await until('no call is pending', () => running === 0)
    expect(({} as { polluted?: unknown }).polluted).toBe(undefined)
    figure(`${answered} answered, ${refused} refused by name`)
  },
} satisfies Gate

/** Calls that outlive their cell, by its end and by its cancel. */
async function afterTheEnd(notebook: EngineManager): Promise<void> {
  await notebook.execute('globalThis.told = []; setTimeout(() => hard.echo({ x: 1 }).then(() => told.push("answered"), error => told.push(error.message)), 60); hard.wait({}); 1')
  const stop = AbortSignal.timeout(150)
  expect((await notebook.execute('try { await Promise.all(Array.from({ length: 50 }, () => hard.wait({}))) } catch {}; await new Promise(r => setTimeout(r, 200)); await hard.echo({ x: 1 }).catch(error => { told.push(error.message) })', { signal: stop })).status).toBe('aborted')
  const { value } = await notebook.execute('await new Promise(r => setTimeout(r, 400)); told', { json: true })
  expect((value as string[]).some(text => text === 'answered' || text.includes('is over'))).toBe(true)
  expect((value as string[]).some(text => text.includes('cancelled'))).toBe(true)
}
