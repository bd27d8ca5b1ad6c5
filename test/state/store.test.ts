import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Serializer } from '../../guest/guest.ts'
import { serovalSerializer } from '../../plugins/seroval-serializer/guest.ts'
import { v8Serializer } from '../../plugins/v8-serializer/guest.ts'
import { temporaryFolder } from '../support/folder.ts'
import { realDisk } from '../../guest/store/disk.ts'
import { openNotebook } from './support/store.ts'

const MIB = 1 << 20
const state = (): string => join(temporaryFolder(), 'state')

describe('what is saved', () => {
  test('grows by the change, not by the size of the state', async () => {
    const path = state()
    const book = openNotebook(path)
    for (let i = 0; i < 1000; i++) book.set(`n${i}`, { i })
    await book.store.save()
    const before = statSync(join(path, 'log')).size
    book.set('n5', { i: 'new' })
    expect(await book.store.save()).toMatchObject({ written: ['n5'] })
    expect(statSync(join(path, 'log')).size - before).toBeLessThan(1500)
  })

  test('writes nothing when a value was read but not changed', async () => {
    const path = state()
    const book = openNotebook(path)
    book.set('big', 'x'.repeat(100_000))
    book.set('small', [1])
    await book.store.save()
    const before = readFileSync(join(path, 'log'))
    book.get('big')
    book.get('small')
    expect(await book.store.save()).toMatchObject({ generation: 1, written: ['small', 'big'].sort() })
    expect(readFileSync(join(path, 'log')).equals(before)).toBe(true)
  })

  test('keeps names that share an object one value, also when the sharing came about behind their back', async () => {
    const path = state()
    const book = openNotebook(path)
    const hidden = { n: 0 }
    book.set('a', hidden)
    await book.store.save()
    book.set('b', [hidden])
    expect([...(await book.store.save()).written].sort()).toEqual(['a', 'b'])
    ;(book.get('b') as { n: number }[])[0]!.n = 5
    await book.store.save()
    book.store.close()
    const again = openNotebook(path)
    await again.store.restore(null)
    expect((again.get('b') as unknown[])[0]).toBe(again.get('a'))
    expect(again.get('a')).toEqual({ n: 5 })
  })

  test('lets names part again when they no longer share', async () => {
    const book = openNotebook(state())
    const common = {}
    book.set('a', { common })
    book.set('b', { common })
    await book.store.save()
    book.set('b', { own: 1 })
    await book.store.save()
    book.set('a', { changed: true })
    expect((await book.store.save()).written).toEqual(['a'])
  })

  test('notices a change made by code that held the object all along', async () => {
    const book = openNotebook(state())
    const held = { deep: [new Map([['k', new Date(1)]])] }
    book.set('a', held)
    await book.store.save()
    held.deep[0]!.set('k', new Date(2))
    expect((await book.store.save()).written).toEqual(['a'])
    expect((await book.store.save()).written).toEqual([])
  })

  test('notices a change made while the save before it was being written', async () => {
    const large = Array.from({ length: 1000 }, (_, i) => ({ i }))
    const small = { i: 0 }
    let onSync = (): void => {}
    const book = openNotebook(state(), { disk: { ...realDisk, syncLater: async file => { onSync(); await realDisk.syncLater(file) } } })
    book.set('large', large)
    book.set('small', small)
    onSync = () => { large[500]!.i = -1; small.i = -1 }
    await book.store.save()
    onSync = () => {}
    expect((await book.store.save()).written).toEqual(['large', 'small'])
  })

  test('names a value that is larger than allowed with its size and the limit, in the save, the restore and the read', async () => {
    const path = state()
    const limits = { maxValueBytes: MIB, maxTotalBytes: 100 * MIB }
    const book = openNotebook(path, { limits })
    book.set('fits', 1)
    book.set('tooBig', new Uint8Array(2 * MIB).fill(1))
    expect((await book.store.save()).failed).toEqual([{ name: 'tooBig', reason: expect.stringMatching(/2\.0 MiB are more than maxValueBytes \(1\.0 MiB\)/) as string }])
    book.store.close()
    const again = openNotebook(path, { limits })
    expect((await again.store.restore(null))?.lost.map(({ name }) => name)).toEqual(['tooBig'])
    expect(() => again.get('tooBig')).toThrow(/'tooBig' did not survive.*maxValueBytes/)
    expect(again.namespace.box('tooBig').typeOf()).toBe('undefined')
    expect(again.get('fits')).toBe(1)
  })

  test('refuses what would make the whole state larger than allowed, and keeps the rest', async () => {
    const book = openNotebook(state(), { limits: { maxValueBytes: MIB, maxTotalBytes: MIB } })
    book.set('a', 'x'.repeat(MIB / 2))
    await book.store.save()
    book.set('b', 'y'.repeat(MIB * 0.6))
    expect(await book.store.save()).toMatchObject({ saved: ['a'], failed: [{ name: 'b', reason: expect.stringContaining('maxTotalBytes') as string }] })
  })

  test('has a view of a large buffer cost what it shows', async () => {
    const path = state()
    const book = openNotebook(path)
    book.set('slice', new Uint8Array(64 * MIB).subarray(8, 12))
    expect((await book.store.save()).bytes).toBeLessThan(2000)
    book.store.close()
    const again = openNotebook(path)
    await again.store.restore(null)
    expect(again.get('slice')).toEqual(new Uint8Array(4))
  })

  test('keeps what a session left out named over any number of restarts until the name is used again', async () => {
    const path = state()
    const first = openNotebook(path)
    first.set('f', () => 1)
    first.set('n', 1)
    await first.store.save()
    first.store.close()
    for (let restart = 0; restart < 3; restart++) {
      const book = openNotebook(path)
      expect((await book.store.restore(null))?.lost).toEqual([{ name: 'f', reason: 'is a function and cannot be saved', ...(restart > 0 && { told: true }) }])
      book.set('n', restart)
      await book.store.save()
      book.store.close()
    }
    const last = openNotebook(path)
    await last.store.restore(null)
    last.set('f', 2)
    expect(await last.store.save()).toMatchObject({ failed: [], saved: ['n', 'f'] })
  })
})

describe('what is on disk', () => {
  test('outlives a torn tail: what was reported as saved is there, the rest is cut', async () => {
    const path = state()
    const book = openNotebook(path)
    book.set('a', 1)
    await book.store.save()
    const whole = statSync(join(path, 'log')).size
    book.set('a', 2)
    await book.store.save()
    book.crash()
    truncateSync(join(path, 'log'), statSync(join(path, 'log')).size - 7)
    const again = openNotebook(path)
    expect(await again.store.restore(null)).toMatchObject({ generation: 1, notes: [] })
    expect(again.get('a')).toBe(1)
    again.set('a', 3)
    await again.store.save()
    expect(statSync(join(path, 'log')).size).toBeGreaterThan(whole)
    again.store.close()
    const last = openNotebook(path)
    await last.store.restore(null)
    expect(last.get('a')).toBe(3)
  })

  test('sets a damaged log aside once, says so, and goes on from the last good generation', async () => {
    const path = state()
    const book = openNotebook(path)
    book.set('a', 1)
    await book.store.save()
    const good = statSync(join(path, 'log')).size
    for (const n of [2, 3]) {
      book.set('a', n)
      await book.store.save()
    }
    book.store.close()
    const bytes = readFileSync(join(path, 'log'))
    bytes[good + 3]! ^= 0xff
    writeFileSync(join(path, 'log'), bytes)
    for (let restart = 0; restart < 2; restart++) {
      const again = openNotebook(path)
      const report = await again.store.restore(null)
      expect(report).toMatchObject({ generation: 1, restored: ['a'] })
      expect(report?.notes.join()).toContain('do not verify')
      expect(again.get('a')).toBe(1)
      again.store.close()
    }
    const aside = readdirSync(path).filter(name => name.includes('.corrupt-'))
    expect(aside).toHaveLength(1)
    expect(readFileSync(join(path, aside[0]!)).equals(bytes)).toBe(true)
  })

  test('holds a value whose bytes are damaged, carries it on, and lets it be replaced or forgotten', async () => {
    const path = state()
    const book = openNotebook(path)
    for (const name of ['a', 'b', 'c', 'fine']) book.set(name, name.repeat(50_000))
    await book.store.save()
    book.store.close()
    const blobs = readdirSync(join(path, 'blobs'))
    const before = new Map(blobs.map(name => [name, readFileSync(join(path, 'blobs', name))]))
    for (const [name, bytes] of before) if (!bytes.includes('fine')) writeFileSync(join(path, 'blobs', name), bytes.fill(0, 5, 9))
    const again = openNotebook(path)
    expect((await again.store.restore(null))?.held.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    for (let read = 0; read < 2; read++) expect(() => again.get('a')).toThrow(expect.objectContaining({ code: 'VALUE_HELD', message: expect.stringContaining("'a' is kept on disk") as string }))
    again.set('b', 'new')
    again.namespace.forget('c')
    await again.store.save()
    again.store.close()
    const last = openNotebook(path)
    expect(await last.store.restore(null)).toMatchObject({ held: [{ name: 'a' }], restored: expect.arrayContaining(['fine', 'b']) as string[] })
    expect(() => last.get('c')).toThrow(ReferenceError)
  })

  test('keeps earlier generations by number, and grows a branch from the one brought back', async () => {
    const path = state()
    const book = openNotebook(path)
    for (const n of [1, 2, 3]) {
      book.set('n', n)
      book.set(`only${n}`, n)
      await book.store.save()
    }
    book.store.close()
    const branch = openNotebook(path)
    expect(await branch.store.restore(1)).toMatchObject({ restored: ['n', 'only1'] })
    branch.set('branch', true)
    expect(await branch.store.save()).toMatchObject({ generation: 4, saved: ['n', 'only1', 'branch'] })
    branch.store.close()
    const main = openNotebook(path)
    expect(await main.store.restore(3)).toMatchObject({ restored: ['n', 'only1', 'only2', 'only3'] })
  })

  test('stays near the size of what it holds while values change for ever, and keeps recent generations', async () => {
    const path = state()
    const book = openNotebook(path)
    for (let i = 0; i < 300; i++) {
      book.set('big', String(i).repeat(20_000))
      book.set('n', i)
      await book.store.save()
    }
    const blobs = readdirSync(join(path, 'blobs')).reduce((sum, name) => sum + statSync(join(path, 'blobs', name)).size, 0)
    expect(blobs).toBeLessThan(8 * MIB)
    book.store.close()
    const again = openNotebook(path)
    await again.store.restore(295)
    expect(again.get('n')).toBe(294)
  })

  test('takes the bytes of a forgotten name out of every file, also when it shared objects with others', async () => {
    const path = state()
    const book = openNotebook(path)
    const common = { word: 'shared' }
    book.set('secret', { common, word: 'hunter2' })
    book.set('other', { common })
    book.set('long', 'hunter3'.repeat(20_000))
    await book.store.save()
    book.namespace.forget('secret')
    book.namespace.forget('long')
    await book.store.save()
    const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile()).map(entry => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('')
    expect(files).not.toContain('hunter')
    expect(files).toContain('shared')
  })

  test('has a forgotten name that is bound again be the new one in every later generation', async () => {
    const path = state()
    const book = openNotebook(path)
    book.set('a', 'old')
    await book.store.save()
    book.namespace.forget('a')
    book.set('a', 'new')
    await book.store.save()
    book.crash()
    const again = openNotebook(path)
    await again.store.restore(null)
    expect(again.get('a')).toBe('new')
  })

  test('has a forgotten name that is bound again to the very same value be there after a restart', async () => {
    const path = state()
    const book = openNotebook(path)
    book.set('a', 2)
    await book.store.save()
    book.namespace.forget('a')
    book.set('a', 2)
    await book.store.save()
    book.crash()
    const again = openNotebook(path)
    await again.store.restore(null)
    expect(again.get('a')).toBe(2)
  })

  test('leaves a folder of a newer version alone', async () => {
    const path = state()
    mkdirSync(path)
    const book = openNotebook(path)
    book.set('a', 1)
    await book.store.save()
    book.store.close()
    const bytes = readFileSync(join(path, 'log'))
    bytes[5] = 9
    let sum = 0x811c9dc5
    for (let i = 0; i < 16; i++) sum = Math.imul(sum ^ bytes[i]!, 0x01000193)
    bytes.writeUInt32LE(sum >>> 0, 16)
    writeFileSync(join(path, 'log'), bytes)
    const again = openNotebook(path)
    await expect(again.store.restore(null)).rejects.toMatchObject({ code: 'STATE_UNREADABLE' })
    again.set('b', 2)
    await expect(again.store.save()).rejects.toMatchObject({ code: 'STATE_UNREADABLE' })
    expect(readFileSync(join(path, 'log')).equals(bytes)).toBe(true)
  })

  test('does not change the mode of a folder that was there, but says that others can look into it', async () => {
    const path = state()
    mkdirSync(path, { mode: 0o755 })
    const book = openNotebook(path)
    book.set('a', 1)
    await book.store.save()
    expect(statSync(path).mode & 0o777).toBe(0o755)
    expect(book.notices.join()).toContain('0755')
  })
})

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

describe('what is read back', () => {
  const stranger: Serializer = { ...serovalSerializer, codec: 'stranger/7', reads: codec => codec === 'stranger/7' }

  test('holds a value nobody here can read bit for bit through any number of cycles, and reads it again when someone can', async () => {
    const path = state()
    const book = openNotebook(path, { serializers: [stranger], runtime: 'other 9.9' })
    book.set('odd', { n: 1 })
    book.set('large', 'l'.repeat(100_000))
    await book.store.save()
    book.store.close()
    const blob = readFileSync(join(path, 'blobs', readdirSync(join(path, 'blobs'))[0]!))
    for (let cycle = 0; cycle < 5; cycle++) {
      const other = openNotebook(path)
      const report = await other.store.restore(null)
      expect(report?.held).toEqual(['odd', 'large'].map(name => ({ name, reason: expect.stringContaining('other 9.9') as string })))
      expect(() => other.get('odd')).toThrow(/stranger\/7/)
      other.set(`cycle${cycle}`, cycle)
      other.namespace.forget(`cycle${cycle - 1}`)
      await other.store.save()
      other.store.close()
      expect(readFileSync(join(path, 'blobs', readdirSync(join(path, 'blobs'))[0]!)).equals(blob)).toBe(true)
    }
    const back = openNotebook(path, { serializers: [stranger, serovalSerializer] })
    await back.store.restore(null)
    expect([back.get('odd'), back.get('large')]).toEqual([{ n: 1 }, 'l'.repeat(100_000)])
  })

  test('does not read a second time what ended the process that read it', async () => {
    const path = state()
    const book = openNotebook(path, { serializers: [stranger] })
    book.set('deadly', [1])
    book.set('fine', 2)
    await book.store.save()
    book.store.close()
    let reads = 0
    // The process ends here: the mark stays as it was when the bytes were handed over.
    const killer: Serializer = { ...stranger, decode: (bytes, codec) => {
      const value = stranger.decode(bytes, codec)
      if (Array.isArray(value)) { reads++; copyFileSync(join(path, 'reading'), join(path, 'reading.seen')) }
      return value
    } }
    const first = openNotebook(path, { serializers: [killer] })
    await first.store.restore(null)
    first.crash()
    copyFileSync(join(path, 'reading.seen'), join(path, 'reading'))
    for (let restart = 0; restart < 3; restart++) {
      const again = openNotebook(path, { serializers: [killer] })
      expect(await again.store.restore(null)).toMatchObject({ held: [{ name: 'deadly', reason: expect.stringContaining('ended the process') as string }], restored: ['fine'] })
      expect(() => again.get('deadly')).toThrow(/ended the process/)
      again.crash()
    }
    expect(reads).toBe(1)
    const closed = openNotebook(path, { serializers: [killer] })
    await closed.store.restore(null)
    closed.store.close()
    const later = openNotebook(path, { serializers: [stranger] })
    expect(await later.store.restore(null)).toMatchObject({ held: [], restored: ['deadly', 'fine'] })
    expect(later.get('deadly')).toEqual([1])
  })

  test('has a deferred value throw the same named error at each read when its bytes are bad', async () => {
    const path = state()
    const book = openNotebook(path)
    book.set('big', 'x'.repeat(100_000))
    await book.store.save()
    book.store.close()
    const file = join(path, 'blobs', readdirSync(join(path, 'blobs'))[0]!)
    appendFileSync(file, 'x')
    const lazy = openNotebook(path, { lazy: true })
    expect((await lazy.store.restore(null))?.deferred).toEqual(['big'])
    for (let read = 0; read < 2; read++) expect(() => lazy.get('big')).toThrow(expect.objectContaining({ code: 'VALUE_HELD' }))
    expect(() => lazy.namespace.box('big').typeOf()).toThrow(/'big' is kept on disk/)
    lazy.set('other', 1)
    await lazy.store.save()
    expect(existsSync(file)).toBe(true)
    expect(lazy.namespace.forget('big')).toBe(true)
    await lazy.store.save()
    expect(existsSync(file)).toBe(false)
  })

  test('does not read a deferred value to save, rename or list it', async () => {
    const path = state()
    const reading: Serializer = { ...serovalSerializer, decode: () => { throw new Error('was read') } }
    const book = openNotebook(path, { serializers: [serovalSerializer] })
    book.set('a', { n: 1 })
    book.set('b', 2)
    await book.store.save()
    book.store.close()
    for (let cycle = 0; cycle < 5; cycle++) {
      const again = openNotebook(path, { serializers: [{ ...reading, encode: serovalSerializer.encode }], lazy: true })
      expect((await again.store.restore(null))?.deferred).toContain('a')
      again.set('mine', cycle)
      expect(again.store.about('a')).toEqual({ type: 'object', size: expect.any(Number) as number })
      expect((await again.store.save()).saved).toContain('a')
      again.store.close()
    }
    const last = openNotebook(path, { lazy: true })
    await last.store.restore(null)
    expect(last.get('a')).toEqual({ n: 1 })
  })

  test('keeps small values portable and gives large ones to the runtime\'s own serializer', async () => {
    const path = state()
    const book = openNotebook(path, { serializers: [v8Serializer, serovalSerializer] })
    book.set('small', { a: [1n] })
    book.set('large', Array.from({ length: 20_000 }, (_, i) => ({ i })))
    await book.store.save()
    const log = readFileSync(join(path, 'log'), 'latin1')
    expect(log).toMatch(/"names":\["small"\],"codec":"seroval/)
    expect(log).toMatch(/"names":\["large"\],"codec":"v8\//)
  })
})
