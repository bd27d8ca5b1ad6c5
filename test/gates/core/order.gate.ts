import { expect } from 'vitest'
import type { Gate } from '../gate.ts'

const CALLERS = 8

export default {
  name: 'order',
  bar: 'cells fired at once by eight callers during a cold start run exactly in the order they were submitted',
  rounds: { full: 1_000, short: 320 },
  guards: [
    { takenOut: 'the queue (each new cell goes first)', edits: [{ file: 'kernel/queue.ts', find: 'this.waiting.push(job)', replace: 'this.waiting.unshift(job)' }] },
  ],
  async run({ engine, rounds, done }) {
    const notebook = engine()
    const planned: number[] = []
    const calls: Promise<{ status: string }>[] = []
    for (let i = 0; i < rounds; i++) {
      const aborted = i % 10 === 7
      if (!aborted) planned.push(i)
      const code = `(globalThis.ran ??= []).push([${i % CALLERS}, ${i}]); ${i % 20 === 3 ? 'throw new Error("planned")' : 'await null'}`
      calls.push(notebook.execute(code, { cellId: `caller ${i % CALLERS}, call ${i}`, ...(aborted && { signal: AbortSignal.abort() }) }))
    }
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter(status => status === 'aborted')).toHaveLength(rounds / 10)
    expect(statuses.filter(status => status === 'error')).toHaveLength(rounds / 20)
    const { value } = await notebook.execute('ran.map(([, call]) => call)', { json: true })
    expect(value).toEqual(planned)
    done(rounds)
  },
} satisfies Gate
