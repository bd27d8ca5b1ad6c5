import { expect } from 'vitest'
import { pause } from '../../support/engine.ts'
import type { Scenarios } from '../fault.ts'

export default {
  async 'QU-01'({ engine }) {
    const notebook = engine()
    const calls = Array.from({ length: 1_000 }, (_, i) => {
      const signal = i % 10 === 9 ? AbortSignal.abort() : undefined
      return notebook.execute(`(globalThis.order ??= []).push(${i})${i % 20 === 4 ? '; throw new Error("planned")' : ''}`, signal === undefined ? {} : { signal })
    })
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter(status => status === 'aborted')).toHaveLength(100)
    expect(statuses.filter(status => status === 'error')).toHaveLength(50)
    expect((await notebook.execute('order', { json: true })).value).toEqual(Array.from({ length: 1_000 }, (_, i) => i).filter(i => i % 10 !== 9))
  },

  async 'QU-02'({ engine }) {
    const notebook = engine()
    await notebook.start()
    const calls = [notebook.execute('await new Promise(() => {})'), ...Array.from({ length: 20 }, (_, i) => notebook.execute(`${i}`))]
    const outcomes = Promise.all(calls.map(call => call.then(() => 'answered', (error: unknown) => (error as Error).message)))
    await pause(100)
    notebook.kill()
    for (const message of await outcomes) expect(message).toContain('killed')
  },

  async 'QU-03'({ engine }) {
    const notebook = engine()
    const first = notebook.execute('console.log("first"); await new Promise(r => setTimeout(r, 100)); "first"', { cellId: 'same' })
    await expect(notebook.execute('console.log("second")', { cellId: 'same' })).rejects.toMatchObject({ code: 'CELL_ID_TAKEN', message: expect.stringContaining('same') as string })
    expect(await first).toMatchObject({ stdout: 'first\n', result: '\'first\'' })
    expect(await notebook.execute('console.log("again"); "again"', { cellId: 'same' })).toMatchObject({ stdout: 'again\n', result: '\'again\'', cell: { id: 'same' } })
  },
} satisfies Scenarios
