import { expect, test } from 'vitest'
import { spentBy } from '../../plugins/subagents/spend.ts'
import { bench, scriptedAgent } from './support/fake-host.ts'
import { node, record, self } from './support/records.ts'

const usage = (input: number, cost = 0.5) => ({ input, output: 1, cache_read: 2, cache_write: 3, cost, context: 9, turns: 1 })

test('what a tree has used is the sum of its records, each once, however deep', () => {
  const tree = [node({ usage: usage(10) }, 'completed', [node({ usage: usage(20) }), node({})]), node({ usage: usage(30) }, 'error')]
  expect(spentBy(tree)).toEqual({ input: 60, output: 3, cacheRead: 6, cacheWrite: 9, cost: 1.5 })
})

test('what was handed out is not handed out again, also not to a session that is resumed', async () => {
  await using first = bench()
  first.family.folder.prepare()
  expect(first.family.takeSpent()).toBeUndefined()
  first.family.folder.write(record({ id: 'c-1', status: 'running', owner: self, usage: usage(10) }))
  expect(first.family.takeSpent()).toMatchObject({ input: 10, cost: 0.5 })
  expect(first.family.takeSpent()).toBeUndefined()
  first.family.folder.write(record({ id: 'c-1', finished_at: 1, usage: usage(25, 2) }))
  await using second = bench({ folder: first.folder })
  expect(second.family.takeSpent()).toMatchObject({ input: 15, output: 0, cost: 1.5 })
  expect(second.family.takeSpent()).toBeUndefined()
})

test('plain model calls are handed out with the children', async () => {
  const spent = { input: 7, output: 1, cacheRead: 0, cacheWrite: 0, cost: 0.25, context: 8, turns: 1 }
  await using kids = bench({ agent: scriptedAgent({ ask: () => Promise.resolve({ text: 'x', usage: spent }) }) })
  await kids.call('ask', { prompt: 'hi' })
  await kids.call('ask', { prompt: 'hi' })
  expect(kids.family.takeSpent()).toEqual({ input: 14, output: 2, cacheRead: 0, cacheWrite: 0, cost: 0.5 })
  expect(kids.family.takeSpent()).toBeUndefined()
})
