import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { RecordFolder } from '../../plugins/subagents/records/folder.ts'
import { identify, type Identity } from '../../plugins/subagents/records/identity.ts'
import { locked } from '../../plugins/subagents/records/lock.ts'
import { parseRecord } from '../../plugins/subagents/records/record.ts'
import { seenStatus } from '../../plugins/subagents/records/status.ts'
import { recordsOf, totalsOf, TreeReader } from '../../plugins/subagents/records/tree.ts'
import { bench } from './support/fake-host.ts'
import { node, numbers, record, self, table } from './support/records.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'pi-rlm-records-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const dead: Identity = { ...self, pid: 2 ** 22 - 3, start: '1' }

describe('a running record', () => {
  test.each([
    ['a live process that started then', self, 'running'],
    ['a number nobody has', dead, 'lost'],
    ['a number another process has now', { ...self, start: '1' }, 'lost'],
    ['the number 0', { ...self, pid: 0 }, 'lost'],
    ['the number -1', { ...self, pid: -1 }, 'lost'],
    ['the number of init', { ...self, pid: 1, start: table.startOf(1) ?? '' }, 'lost'],
    ['a number that is none', { ...self, pid: Number.NaN }, 'lost'],
    ['another boot of this machine', { ...self, boot: 'another' }, 'lost'],
    ['another machine or container', { ...self, host: 'elsewhere' }, 'unknown'],
  ])('with %s reads as it should', (_, process, status) => {
    expect(seenStatus(record({ status: 'running', process }), table)).toBe(status)
  })

  test('of another user\'s process with a matching start time reads as running', () => {
    expect(seenStatus(record({ status: 'running', process: { ...self, pid: 77, start: 'then' } }), { ...table, startOf: pid => pid === 77 ? 'then' : undefined })).toBe('running')
  })

  test('of a child that was killed reads as lost while the zombie is still there', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
    const process_ = identify(child.pid ?? 0, table)
    if (process_ === undefined) throw new Error('no process')
    expect(seenStatus(record({ status: 'running', process: process_ }), table)).toBe('running')
    child.kill('SIGKILL')
    await new Promise(resolve => child.once('exit', resolve))
    expect(seenStatus(record({ status: 'running', process: process_ }), table)).toBe('lost')
  })

  test('is judged by its owner before it has a process, and so is a queued one', () => {
    expect([record({ status: 'running' }), record({ status: 'queued' }), record({ status: 'running', owner: dead }), record({ status: 'queued', owner: dead })].map(each => seenStatus(each, table)))
      .toEqual(['running', 'queued', 'lost', 'lost'])
  })

  test('that has completed stays completed though everything else is gone', () => {
    expect(seenStatus(record({ status: 'completed', owner: dead, process: dead }), table)).toBe('completed')
  })

  test('is never signalled when its process is another one, and its file stays as it is', async () => {
    await using kids = bench()
    const innocent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore', detached: true })
    onTestFinished(() => { innocent.kill('SIGKILL') })
    kids.family.folder.prepare()
    const made = record({ id: 'c-innocent', status: 'running', owner: dead, process: { ...self, pid: innocent.pid ?? 0, start: '1' } })
    kids.family.folder.write(made)
    kids.family.folder.write(record({ id: 'c-self', status: 'running', owner: dead, process: { ...self, start: '1' } }))
    expect(kids.family.list().map(({ status }) => status)).toEqual(['lost', 'lost'])
    expect(kids.family.folder.read('c-innocent')).toEqual(made)
    await kids.family.remove('c-innocent')
    await kids.family.remove('c-self')
    expect(innocent.exitCode ?? innocent.signalCode).toBeNull()
  })

  test('of another machine can be neither judged nor deleted here', async () => {
    await using kids = bench()
    kids.family.folder.prepare()
    kids.family.folder.write(record({ id: 'c-far', status: 'running', owner: { ...self, host: 'elsewhere' } }))
    expect(kids.family.list()[0]?.status).toBe('unknown')
    await expect(kids.family.remove('c-far')).rejects.toMatchObject({ code: 'OTHER_HOST' })
  })
})

describe('the records folder', () => {
  test('shows no half of a record, whoever reads while it is written', () => {
    const records = new RecordFolder(folder())
    const other = new RecordFolder(records.path)
    for (let round = 0; round < 500; round++) {
      records.write(record({ id: 'c-1', message: 'x'.repeat(round * 7) }))
      expect(other.read('c-1')?.message?.length).toBe(round * 7)
    }
    expect(readdirSync(records.path)).toEqual(['c-1.json'])
  })

  test('passes over what is no record: half of one, another version, another id, a folder', () => {
    const path = folder()
    const whole = JSON.stringify(record({ id: 'c-half' }))
    writeFileSync(join(path, 'c-half.json'), whole.slice(0, -20))
    writeFileSync(join(path, 'c-new.json'), JSON.stringify({ ...record({ id: 'c-new' }), version: 2 }))
    writeFileSync(join(path, 'c-other.json'), JSON.stringify(record({ id: 'c-1' })))
    mkdirSync(join(path, 'c-folder.json'))
    new RecordFolder(path).write(record({ id: 'c-good' }))
    expect(new RecordFolder(path).list().map(({ id }) => id)).toEqual(['c-good'])
  })

  test('never throws for bytes that were changed, and never makes a record of wrong types of them', () => {
    const next = numbers(3)
    const text = JSON.stringify(record({ id: 'c-1', started_at: 5, usage: { input: 1, output: 1, cache_read: 0, cache_write: 0, cost: 0, context: 0, turns: 1 } }))
    for (let round = 0; round < 3_000; round++) {
      const at = next(text.length)
      const parsed = parseRecord(text.slice(0, at) + String.fromCharCode(32 + next(95)) + text.slice(at + next(4)))
      if (parsed !== undefined) expect([typeof parsed.id, typeof parsed.name, typeof parsed.created_at, typeof parsed.owner]).toEqual(['string', 'string', 'number', 'object'])
    }
  })
})

describe('the tree', () => {
  test('is read from the folders of all depths, without asking a process', () => {
    const base = folder()
    for (const [session, ids] of [['root', ['a', 'b']], ['a', ['a1', 'a2']], ['a2', ['deep']]] as const) {
      const records = new RecordFolder(recordsOf(base, session))
      records.prepare()
      for (const id of ids) records.write(record({ id, usage: { input: 10, output: 5, cache_read: 0, cache_write: 0, cost: 0.5, context: 15, turns: 1 } }))
    }
    const tree = new TreeReader(base, each => each.status).read('root')
    expect(tree).toMatchObject([{ record: { id: 'a' }, children: [{ record: { id: 'a1' } }, { record: { id: 'a2' }, children: [{ record: { id: 'deep' } }] }] }, { record: { id: 'b' }, children: [] }])
    expect(totalsOf(tree)).toEqual({ admitted: 5, working: 0, tokens: 75, cost: 2.5 })
  })

  test('that leads back to itself is read once', () => {
    const base = folder()
    for (const [session, id] of [['root', 'a'], ['a', 'root']] as const) {
      const records = new RecordFolder(recordsOf(base, session))
      records.prepare()
      records.write(record({ id }))
    }
    expect(new TreeReader(base, each => each.status).read('root')).toMatchObject([{ record: { id: 'a' }, children: [{ record: { id: 'root' }, children: [] }] }])
  })

  test('counts a child that waits for its own children as not at work, so that both cannot wait for each other', () => {
    const parents = [1, 2].map(number => node({ id: `p${number}` }, 'running', [node({ id: `q${number}` }, 'queued')]))
    expect(totalsOf(parents).working).toBe(0)
  })
})

describe('the lock', () => {
  test('lets one decision through at a time', async () => {
    const path = join(folder(), '.lock')
    let count = 0
    await Promise.all(Array.from({ length: 30 }, () => locked(path, self, table, () => { count++ })))
    expect(count).toBe(30)
  })

  test('of a process that is gone is cleared away', async () => {
    const path = join(folder(), '.lock')
    writeFileSync(path, JSON.stringify(dead))
    expect(await locked(path, self, table, () => 'through')).toBe('through')
  })
})
