import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { openNotebook } from './support/store.ts'

const MIB = 1 << 20
const state = (): string => join(temporaryFolder(), 'state')

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
