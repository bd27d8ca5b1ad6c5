import { expect } from 'vitest'
import type { ContractCase } from './case.ts'

const cases: readonly ContractCase[] = [
  {
    title: 'runs concurrent calls strictly in the order they were submitted, also during a cold start',
    why: 'there is one namespace; interleaved cells would make results depend on timing',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const aborted = AbortSignal.abort()
      const calls = Array.from({ length: 120 }, (_, i) => {
        if (i === 0) return notebook.execute('globalThis.log = []')
        if (i % 10 === 3) return notebook.execute(`log.push(${i})`, { signal: aborted })
        if (i % 20 === 7) return notebook.execute(`log.push(${i}); throw new Error('planned')`)
        return notebook.execute(`await null; log.push(${i})`)
      })
      const statuses = (await Promise.all(calls)).map(result => result.status)
      expect(statuses.filter(status => status === 'aborted')).toHaveLength(12)
      expect(statuses.filter(status => status === 'error')).toHaveLength(6)
      const { value } = await notebook.execute('log', { json: true })
      expect(value).toEqual(Array.from({ length: 119 }, (_, i) => i + 1).filter(i => i % 10 !== 3))
    },
  },
  {
    title: 'gives a cancelled queued call back at once and runs the others in order',
    why: 'a call that waits must not hold the one who gave up on it',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.start()
      const order: string[] = []
      const note = (name: string) => (result: { status: string }): void => { order.push(`${name} ${result.status}`) }
      const stop = new AbortController()
      const first = notebook.execute('await new Promise(resolve => setTimeout(resolve, 300))').then(note('first'))
      const second = notebook.execute('"never"', { signal: stop.signal }).then(note('second'))
      const third = notebook.execute('3').then(note('third'))
      stop.abort()
      await Promise.all([first, second, third])
      expect(order).toEqual(['second aborted', 'first ok', 'third ok'])
    },
  },
  {
    title: 'refuses the id of a cell that has not ended, and takes it again afterwards',
    why: 'output is told apart by the id',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const first = notebook.execute('await null; 1', { cellId: 'same' })
      await expect(notebook.execute('2', { cellId: 'same' })).rejects.toMatchObject({ code: 'CELL_ID_TAKEN' })
      expect(await first).toMatchObject({ status: 'ok', result: '1', cell: { id: 'same' } })
      expect(await notebook.execute('3', { cellId: 'same' })).toMatchObject({ status: 'ok', result: '3' })
    },
  },
]
export default cases
