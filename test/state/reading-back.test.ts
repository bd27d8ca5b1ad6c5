import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Serializer } from '../../guest/guest.ts'
import { serovalSerializer } from '../../plugins/seroval-serializer/guest.ts'
import { v8Serializer } from '../../plugins/v8-serializer/guest.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openNotebook } from './support/store.ts'

const state = (): string => join(temporaryFolder(), 'state')

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
