import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { realDisk } from '../../guest/store/disk.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openNotebook } from './support/store.ts'

const MIB = 1 << 20
const state = (): string => join(temporaryFolder(), 'state')

/** A state whose session left a function out. */
async function withoutFunction(): Promise<string> {
  const path = state()
  const book = openNotebook(path)
  book.set('f', () => 1)
  book.set('n', 1)
  await book.store.save()
  book.store.close()
  return path
}

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

  test('tells a loss again that a session without a cell was told of, since nobody heard of it', async () => {
    const path = await withoutFunction()
    for (let restart = 0; restart < 2; restart++) {
      const book = openNotebook(path)
      expect((await book.store.restore(null))?.lost).toEqual([{ name: 'f', reason: 'is a function and cannot be saved' }])
      book.store.close()
    }
  })

  test('keeps what a session left out named over any number of restarts until the name is used again', async () => {
    const path = await withoutFunction()
    for (let restart = 0; restart < 3; restart++) {
      const book = openNotebook(path)
      expect((await book.store.restore(null))?.lost).toEqual([{ name: 'f', reason: 'is a function and cannot be saved', ...(restart > 0 && { told: true }) }])
      book.store.cellEnded()
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
