import { Type } from '@sinclair/typebox'
import { expect } from 'vitest'
import { definePlugin } from '../../../kernel/index.ts'
import { until } from '../../support/engine.ts'
import type { Scenarios } from '../fault.ts'

export default {
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
