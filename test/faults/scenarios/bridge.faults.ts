import { Type } from '@sinclair/typebox'
import { expect } from 'vitest'
import type { Json } from '../../../guest/protocol.ts'
import { definePlugin } from '../../../kernel/index.ts'
import { until } from '../../support/engine.ts'
import { type Scenarios, stillWorks } from '../fault.ts'

/** What a host method may do, by accident or not. */
const HOSTILE: readonly (() => unknown)[] = [
  () => { throw null }, () => { throw undefined }, () => { throw Symbol('s') }, () => { throw Object.create(null) }, () => { throw { toString: 1 } },
  () => { throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } }) }, () => Promise.reject({ toString() { throw 1 } } as unknown as Error),
  () => { throw Object.defineProperty(new Error('x'), 'message', { get() { throw 1 } }) }, () => { throw Object.assign(new Error('m'), { name: Symbol('n'), code: Symbol('c') }) },
  () => { throw new Error('x'.repeat(70_000_000)) }, () => { throw Object.assign(new Error('m'), { name: 'n'.repeat(70_000_000) }) },
  () => undefined, () => Symbol('s'), () => () => 1, () => 1n, () => NaN, () => { const cycle: Record<string, unknown> = {}; cycle['cycle'] = cycle; return cycle },
  () => ({ toJSON() { throw new Error('encoding') } }), () => ({ toJSON: () => undefined }), () => ({ get read() { throw new Error('reading') } }), () => ({ then() { throw new Error('then') } }),
  () => { let times = 0; return { toJSON() { if (times++ > 0) throw new Error('second reading'); return 'first' } } },
  () => { let deep = {}; for (let i = 0; i < 100_000; i++) deep = { deep }; return deep }, () => 'x'.repeat(70_000_000),
]

const hostile = definePlugin({
  name: 'hostile',
  host: host => { for (const [i, run] of HOSTILE.entries()) host.method({ handle: 'hostile', name: `m${i}`, params: Type.Object({}), run: run as () => Json }) },
})

export default {
  async 'BR-03'({ engine }) {
    const notebook = engine({ plugins: [hostile()] })
    for (const [i, method] of HOSTILE.entries()) {
      const result = await notebook.execute(`await hostile.m${i}({})`, { timeoutMs: 60_000 })
      expect(result.error?.name, String(method)).not.toBe('CellTimeout')
      if (result.status === 'error') expect([result.error?.name, result.error?.message], String(method)).not.toContain('')
      else expect(result.status, String(method)).toBe('ok')
    }
    await stillWorks(notebook)
  },

  async 'BR-02'({ engine }) {
    const seen: { cell: string; source: string }[] = []
    let answered = 0
    const slow = definePlugin({
      name: 'slow',
      host(host) {
        host.method({
          handle: 'slow', name: 'double', params: Type.Object({ n: Type.Number() }),
          async run({ n }, { cell }) {
            seen.push({ cell: cell.id, source: cell.source })
            await new Promise(resolve => { setTimeout(resolve, 150) })
            answered++
            return n * 2
          },
        })
      },
    })
    const notebook = engine({ plugins: [slow()] })
    const first = await notebook.execute('const pending = slow.double({ n: 21 }); "ended"', { cellId: 'first' })
    expect(first).toMatchObject({ status: 'ok', result: '\'ended\'' })
    expect(await notebook.execute('await pending', { cellId: 'second' })).toMatchObject({ status: 'ok', result: '42' })
    await until('the call was answered', () => answered === 1)
    expect(seen).toEqual([{ cell: 'first', source: expect.stringContaining('pending') as string }])
  },
} satisfies Scenarios
