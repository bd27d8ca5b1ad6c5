import { readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { realDisk } from '../../guest/store/disk.ts'
import { temporaryFolder } from '../support/folder.ts'
import { faultyDisk, MemoryDisk } from './support/disks.ts'
import { openNotebook } from './support/store.ts'

const state = (): string => join(temporaryFolder(), 'state')

describe('a folder that changes under a running notebook', () => {
  test.each(['removed', 'cut short'])('is written anew with all that is in memory when it is %s, and what was not in memory is named', async how => {
    const path = state()
    const before = openNotebook(path)
    before.set('cold', 'c'.repeat(50_000))
    before.set('warm', [1])
    await before.store.save()
    before.store.close()
    const book = openNotebook(path, { lazy: true })
    await book.store.restore(null)
    book.get('warm')
    await book.store.save()
    if (how === 'removed') rmSync(path, { recursive: true })
    else truncateSync(join(path, 'log'), 40)
    book.set('fresh', 2)
    const report = await book.store.save()
    expect([...report.saved].sort()).toEqual(['fresh', 'warm'])
    expect(report.failed).toEqual([{ name: 'cold', reason: expect.stringContaining('removed') as string }])
    expect(book.notices.join()).toContain('removed while')
    expect(readdirSync(path).some(name => name.includes('.corrupt-'))).toBe(how === 'cut short')
    book.crash()
    const again = openNotebook(path)
    expect(await again.store.restore(null)).toMatchObject({ restored: expect.arrayContaining(['warm', 'fresh']) as string[], lost: [{ name: 'cold' }] })
  })

  test('that nobody can make fails the save at once, by name', async () => {
    const book = openNotebook('/proc/nowhere/state')
    book.set('a', 1)
    await expect(book.store.save()).rejects.toThrow(/ENOENT|EACCES|EPERM|ENOTDIR/)
  })
})

describe('a compaction that fails', () => {
  test('at any step loses nothing of what is saved after it', async () => {
    const steps = async (disk: ReturnType<typeof faultyDisk>, arm: (at: number) => void): Promise<string[]> => {
      const book = openNotebook('/state', { disk })
      book.set('secret', 'hunter2')
      book.set('kept', 'k'.repeat(40_000))
      await book.store.save()
      book.namespace.forget('secret')
      arm(disk.steps.length)
      book.set('a', 1)
      await book.store.save().catch(() => {})
      disk.disarm()
      for (const n of [2, 3]) {
        book.set('a', n)
        await book.store.save()
      }
      book.crash()
      return [...disk.steps]
    }
    const plain = await steps(faultyDisk(new MemoryDisk()), () => {})
    for (let ahead = 0; ahead < plain.length; ahead++) {
      const memory = new MemoryDisk()
      const disk = faultyDisk(memory)
      await steps(disk, at => { disk.arm(at + ahead, { type: 'error', code: 'EIO' }) })
      const again = openNotebook('/state', { disk: memory })
      const report = await again.store.restore(null)
      expect(report, `step ${ahead}`).toMatchObject({ notes: [], held: [], lost: [] })
      expect([again.get('a'), again.get('kept'), again.namespace.has('secret')], `step ${ahead}`).toEqual([3, 'k'.repeat(40_000), false])
      expect(memory.read('/state/log').includes('hunter2'), `step ${ahead}`).toBe(false)
      again.crash()
    }
  })

  test('to write down what is forgotten still takes it out of the next log', async () => {
    const path = state()
    const disk = faultyDisk(realDisk)
    const book = openNotebook(path, { disk })
    book.set('secret', 'hunter2')
    book.set('a', 1)
    await book.store.save()
    disk.arm(disk.steps.length, { type: 'error', code: 'ENOSPC' })
    expect(() => book.namespace.forget('secret')).toThrow(/ENOSPC/)
    disk.disarm()
    book.set('a', 2)
    await book.store.save()
    book.crash()
    const again = openNotebook(path)
    expect(await again.store.restore(null)).toMatchObject({ restored: ['a'] })
    expect(realDisk.read(join(path, 'log')).includes('hunter2')).toBe(false)
  })
})
