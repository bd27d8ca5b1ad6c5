import { expect } from 'vitest'
import { faultyDisk, MemoryDisk, randomFrom } from './disks.ts'
import { readState, writeScenario } from './scenario.ts'

const PATH = '/state'

/** One image; answers 1 when a state had been reported before the loss. */
export async function powerLoss(seed: number): Promise<0 | 1> {
  const random = randomFrom(seed + 1)
  const memory = new MemoryDisk()
  const disk = faultyDisk(memory)
  disk.arm(Math.floor(random() * 90), { type: 'end' })
  const reported: unknown[] = []
  for (let session = 0; session < 2; session++) await writeScenario(PATH, { disk }, state => reported.push(state)).catch(() => {})
  const left = memory.afterPowerLoss(random)
  const found = await readState(PATH, { disk: left })
  const last = reported.at(-1) as Record<string, unknown> | undefined
  if (last === undefined) return 0
  expect(found, `image ${seed}`).not.toBeNull()
  expect(Number(found?.['step']), `image ${seed}`).toBeGreaterThanOrEqual(Number(last['step']))
  if (found?.['step'] === last['step'] && 'last' in last && !('gone' in last)) expect(found?.['last'], `image ${seed}`).toBe(last['last'])
  return 1
}
