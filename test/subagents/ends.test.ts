import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bench, op } from './support/fake-host.ts'
import { answerOf, ended, finished, lives } from './support/lives.ts'
import { until } from '../support/engine.ts'

describe('ends', () => {
  test('delete, wall time, silence, session end and a crash are five different words', async () => {
    await using kids = bench({ options: { graceMs: 300, stallMs: 1_500 } })
    const deleted = await kids.family.admit({ task: op('hang'), cell: 'a', name: 'deleted' })
    const timed = await kids.family.admit({ task: op('hang'), cell: 'a', timeoutMs: 300 })
    const stalled = await kids.family.admit({ task: op('header'), cell: 'a' })
    const crashed = await kids.family.admit({ task: op('crash'), cell: 'a' })
    await kids.family.remove('deleted')
    const reasons = await Promise.all([deleted, timed, stalled, crashed].map(async ({ record }) => (await ended(kids, record.id)).reason))
    const left = await kids.family.admit({ task: op('hang'), cell: 'a' })
    await kids.family.endAll()
    expect([...reasons, kids.family.find(left.record.id).record.reason]).toEqual(['stopped', 'timeout', 'stalled', 'crashed', 'shutdown'])
    expect(kids.family.find(stalled.record.id).record.partial_file).toBeDefined()
  })

  test('a child that is deaf to TERM is killed after the grace period, with what it started', async () => {
    await using kids = bench({ options: { graceMs: 300 } })
    const { record } = await kids.family.admit({ task: op('deafParent'), cell: 'a' })
    await until('the grandchild is there', () => (kids.family.find(record.id).record.last_activity_at ?? 0) > (kids.family.find(record.id).record.started_at ?? Infinity))
    await until('its output is in the spool', () => existsSync(kids.family.folder.paths(record.id).spool))
    const { grandchild } = JSON.parse(readFileSync(kids.family.folder.paths(record.id).spool, 'utf8')) as { grandchild: number }
    const pid = kids.family.find(record.id).record.process?.pid
    const { status } = await kids.family.remove(record.id)
    expect({ status, child: lives(pid), grandchild: lives(grandchild) }).toEqual({ status: 'error', child: false, grandchild: false })
  })

  test('a child in an endless loop ends by delete like any other', async () => {
    await using kids = bench({ options: { graceMs: 300 } })
    const { record } = await kids.family.admit({ task: op('spin'), cell: 'a' })
    await until('it runs', () => kids.family.find(record.id).record.process !== undefined)
    expect((await kids.family.remove(record.id)).record).toMatchObject({ status: 'error', reason: 'stopped' })
  })

  test('a process left in the child\'s group is ended with it and named', async () => {
    await using kids = bench()
    const record = await finished(kids, op('orphan', { inherit: true, exit: true }))
    const { grandchild } = JSON.parse(answerOf(record)) as { grandchild: number }
    expect(record).toMatchObject({ status: 'completed', warnings: [`processes it left behind were ended: ${grandchild}`] })
    expect(lives(grandchild)).toBe(false)
  })

  test('a process that left the group and holds the pipe delays nothing and is mentioned', async () => {
    await using kids = bench()
    const record = await finished(kids, op('orphan', { inherit: true, detached: true, exit: true }))
    const { grandchild } = JSON.parse(answerOf(record)) as { grandchild: number }
    process.kill(grandchild, 'SIGKILL')
    expect(record).toMatchObject({ status: 'completed', warnings: ['a process it started has left its group and still holds its output'] })
  })

  test('deleting twice, after the end and while it ends is no error; deleting an unknown name is', async () => {
    await using kids = bench({ options: { graceMs: 300 } })
    const { record } = await kids.family.admit({ task: op('hang'), cell: 'a', name: 'one' })
    await until('it runs', () => kids.family.find(record.id).record.process !== undefined)
    await Promise.all([kids.family.remove('one'), kids.family.remove('one'), kids.family.remove(record.id)])
    expect(kids.family.list()).toMatchObject([{ status: 'error', record: { reason: 'stopped' } }])
    await kids.family.remove('one')
    expect(kids.family.list()).toEqual([])
    expect((await kids.family.remove('one')).record.deleted_at).toBeDefined()
    await expect(kids.family.remove('other')).rejects.toThrow("there is no child 'other' of this session; it has none")
  })

  test('a queued child that is deleted never runs', async () => {
    await using kids = bench({ options: { concurrency: 1, graceMs: 300 } })
    const first = await kids.family.admit({ task: op('hang'), cell: 'a' })
    const second = await kids.family.admit({ task: op('echo'), cell: 'a' })
    const gone = await kids.family.remove(second.record.id)
    expect(gone.record).toMatchObject({ status: 'error', reason: 'stopped' })
    expect(gone.record).not.toHaveProperty('process')
    await kids.family.remove(first.record.id)
  })
})
