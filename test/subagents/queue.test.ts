import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bench, catAgent, op } from './support/fake-host.ts'
import { answerOf, ended, finished, never } from './support/lives.ts'
import { until } from '../support/engine.ts'

describe('the queue', () => {
  test('150 children at once keep to the limit, wait in order and all complete', async () => {
    await using kids = bench({ options: { concurrency: 4 }, agent: catAgent })
    let most = 0
    kids.family.onChange(() => { most = Math.max(most, kids.family.active().filter(({ status }) => status === 'running').length) })
    const children = await Promise.all(Array.from({ length: 150 }, (_, index) => kids.family.admit({ task: `task ${index}`, cell: 'a' })))
    expect(children.filter(({ status }) => status === 'queued').length).toBeGreaterThan(100)
    const views = await kids.family.wait(children.map(({ record }) => record.id), false, 0, never)
    expect(views.map(({ record }) => readFileSync(record.output_file, 'utf8'))).toEqual(children.map((_, index) => `task ${index}`))
    expect(most).toBe(4)
    const starts = views.map(({ record }) => record.started_at ?? 0)
    expect(starts).toEqual([...starts].sort((a, b) => a - b))
    expect(kids.family.active()).toEqual([])
  })

  test('a place is free only when the child before is gone, however deaf it was', async () => {
    await using kids = bench({ options: { concurrency: 1, graceMs: 300 } })
    const deaf = await kids.family.admit({ task: op('deaf'), cell: 'a' })
    const next = await kids.family.admit({ task: op('echo'), cell: 'a' })
    await until('the deaf child runs', () => existsSync(kids.family.folder.paths(deaf.record.id).spool))
    await kids.family.remove(deaf.record.id)
    const after = await ended(kids, next.record.id)
    expect(after.started_at).toBeGreaterThanOrEqual(kids.family.find(deaf.record.id).record.finished_at ?? Infinity)
  })

  test('a wait covers children that are still queued', async () => {
    await using kids = bench({ options: { concurrency: 2 } })
    const children = await Promise.all([1, 2, 3, 4, 5].map(n => kids.family.admit({ task: op('sleep', { ms: 50, text: `${n}` }), cell: 'a' })))
    expect(children.at(-1)?.status).toBe('queued')
    expect(answerOf(await ended(kids, children.at(-1)?.record.id ?? ''))).toBe('5')
  })

  test('of two children with one name both run, and the second gets another name', async () => {
    await using kids = bench()
    const [a, b] = await Promise.all(['a', 'b'].map(task => kids.family.admit({ task, cell: 'c', name: 'x' })))
    expect([a?.record.name, b?.record.name].sort()).toEqual(['x', 'x-2'])
    expect(a?.record.output_file).not.toBe(b?.record.output_file)
  })

  test('a child that failed gives its name back, and the name then means the live one', async () => {
    await using kids = bench()
    await finished(kids, op('crash'), { name: 'x' })
    const { record } = await kids.family.admit({ task: op('hang'), cell: 'c', name: 'x' })
    expect(record.name).toBe('x')
    expect(kids.family.find('x').record.id).toBe(record.id)
  })
})
