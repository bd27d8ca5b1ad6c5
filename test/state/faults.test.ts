import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { realDisk } from '../../guest/store/disk.ts'
import { temporaryFolder } from '../support/folder.ts'
import { faultyDisk, MemoryDisk } from './support/disks.ts'
import { powerLoss } from './support/power-loss.ts'
import { readState, writeScenario } from './support/scenario.ts'
import { openNotebook } from './support/store.ts'

const PATH = '/state'
const leftovers = (disk: MemoryDisk): string[] => [...disk.list(PATH), ...disk.list(`${PATH}/blobs`)].filter(name => name.endsWith('new'))
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** A long value in a message helps nobody. */
const shown = (state: unknown): string => JSON.stringify(state, (_, value: unknown) => typeof value === 'string' && value.length > 20 ? `${value.slice(0, 5)}…` : value)

/** How many steps the scenario takes when nothing goes wrong, and the states it reports. */
async function plain(): Promise<{ steps: number; states: unknown[] }> {
  const disk = faultyDisk(new MemoryDisk())
  const states: unknown[] = []
  await writeScenario(PATH, { disk }, state => states.push(state))
  return { steps: disk.steps.length, states }
}

describe('a failing step of the writer', () => {
  test.each(['EIO', 'ENOSPC', 'short'])('%s leaves what was reported as saved, is named, and is over when the fault is', async code => {
    const { steps } = await plain()
    for (let at = 0; at < steps; at++) {
      const memory = new MemoryDisk()
      const disk = faultyDisk(memory)
      disk.arm(at, code === 'short' ? { type: 'short' } : { type: 'error', code })
      const reported: unknown[] = []
      await writeScenario(PATH, { disk }, state => reported.push(state)).catch(() => {})
      const found = await readState(PATH, { disk: memory })
      const last = reported.at(-1)
      if (last !== undefined && !same(found, last) && !same(found, withoutGone(last))) throw new Error(`step ${at} of ${steps} (${disk.steps[at]}): ${shown(found)} instead of ${shown(last)}`)
      const after: unknown[] = []
      await writeScenario(PATH, { disk: memory }, state => after.push(state))
      expect(after, `step ${at}`).toHaveLength(4)
      expect(same(await readState(PATH, { disk: memory }), after.at(-1)), `step ${at}`).toBe(true)
      expect(leftovers(memory), `step ${at} (${disk.steps[at]})`).toEqual([])
    }
  })

  test('is told by name and number of the generation that stands', async () => {
    const path = join(temporaryFolder(), 'state')
    const disk = faultyDisk(realDisk)
    const book = openNotebook(path, { disk })
    book.set('a', 1)
    await book.store.save()
    book.set('a', 2)
    disk.arm(disk.steps.length, { type: 'error', code: 'ENOSPC' })
    await expect(book.store.save()).rejects.toMatchObject({ code: 'STATE_WRITE_FAILED', message: expect.stringMatching(/ENOSPC.*Generation 1 stands/) as string })
    disk.disarm()
    expect(await book.store.save()).toMatchObject({ generation: 2, written: ['a'] })
  })
})

describe('an end of the process', () => {
  test('at any step leaves a state that was reported as saved, or the one being saved, never an older one', async () => {
    const { steps, states } = await plain()
    for (let at = 0; at < steps; at++) {
      const memory = new MemoryDisk()
      const disk = faultyDisk(memory)
      disk.arm(at, { type: 'end' })
      let reported = 0
      await writeScenario(PATH, { disk }, () => { reported++ }).catch(() => {})
      const found = await readState(PATH, { disk: memory })
      const possible = states.slice(Math.max(0, reported - 1), reported + 1)
      if (reported > 0 && !possible.some(state => same(state, found) || same(withoutGone(state), found))) throw new Error(`step ${at} (${disk.steps[at]}): ${shown(found)}`)
      await writeScenario(PATH, { disk: memory }, () => {})
    }
  })
})

/** A name is forgotten before the save that follows, so it may be missing from the state before it. */
const withoutGone = (state: unknown): unknown => Object.fromEntries(Object.entries(state as object).filter(([name]) => name !== 'gone'))

describe('a power loss', () => {
  test('leaves a state that was reported as saved and is not older than the last such report', async () => {
    let told = 0
    for (let image = 0; image < 150; image++) told += await powerLoss(image)
    expect(told).toBeGreaterThan(75)
  })
})
