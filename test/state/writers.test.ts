import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { openNotebook } from './support/store.ts'

const state = (): string => join(temporaryFolder(), 'state')

describe('who may write', () => {
  const machine = (pid: number, alive: Record<number, string>, host = 'h') => ({ self: () => ({ pid, started: alive[pid] ?? 's', boot: 'b', host }), started: (other: number) => alive[other] })

  test('one at a time: a second one reads, is told who writes, and does not save', async () => {
    const path = state()
    const first = openNotebook(path, { machine: machine(1, { 1: 'x', 2: 'y' }) })
    first.set('a', 1)
    await first.store.save()
    const second = openNotebook(path, { machine: machine(2, { 1: 'x', 2: 'y' }) })
    await second.store.restore(null)
    expect(second.get('a')).toBe(1)
    expect(second.notices.join()).toContain('process 1 on h')
    await expect(second.store.save()).rejects.toMatchObject({ code: 'STATE_LOCKED' })
    expect(second.namespace.forget('a')).toBe(true)
    first.store.close()
    const third = openNotebook(path, { machine: machine(2, { 2: 'y' }) })
    await third.store.restore(null)
    expect(third.get('a')).toBe(1)
  })

  test('the next one, when the lock is of a process that is gone or whose number was given to another', async () => {
    const path = state()
    for (const [pid, alive] of [[1, { 1: 'x' }], [2, { 2: 'y' }], [3, { 2: 'recycled', 3: 'z' }]] as const) {
      const book = openNotebook(path, { machine: machine(pid, alive) })
      await book.store.restore(null)
      book.set('n', pid)
      await book.store.save()
      book.crash()
    }
    expect(existsSync(join(path, 'lock'))).toBe(true)
  })
})
