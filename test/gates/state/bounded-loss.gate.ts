import { join } from 'node:path'
import { expect } from 'vitest'
import { randomFrom } from '../../state/support/disks.ts'
import { pause } from '../../support/engine.ts'
import type { Gate, GateContext } from '../gate.ts'

/** Notebooks at the same time. */
const LANES = 5

export default {
  name: 'bounded-loss',
  bar: 'a notebook that is killed at any time is at most 5 seconds or 10 cells behind',
  rounds: { full: 200, short: 1 },
  guards: [
    { takenOut: 'the ceilings of autosave', edits: [
      { file: 'plugins/autosave/schedule.ts', find: 'this.ceiling ??= this.timers.set(() => void this.now(), maxWaitMs * EARLY)', replace: 'void maxWaitMs' },
      { file: 'plugins/autosave/schedule.ts', find: 'if (this.cells >= Math.max(1, Math.floor(maxWaitCells * EARLY))) void this.now()', replace: 'void maxWaitCells' },
    ] },
  ],
  async run(context) {
    const { rounds, figure, done } = context
    const random = randomFrom(5)
    const worst = { cells: 0, ms: 0 }
    let left = rounds
    // A notebook is idle nearly all the time, so that some can run side by side without being in each other's way.
    const lane = async (): Promise<void> => {
      while (left > 0) {
        const { cells, ms } = await killed(context, rounds - left--, random)
        worst.cells = Math.max(worst.cells, cells)
        worst.ms = Math.max(worst.ms, ms)
        done()
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    figure(`at worst ${worst.cells} cells, ${Math.round(worst.ms)} ms behind`)
  },
} satisfies Gate

/** One notebook that runs cell after cell and is killed; how far behind the next one starts. */
async function killed({ engine, folder, full }: GateContext, round: number, random: () => number): Promise<{ readonly cells: number; readonly ms: number }> {
  const snapshot = { path: join(folder(), 'state') }
  const first = engine({ snapshot })
  const ends: number[] = []
  const until = performance.now() + (full ? 3_000 + random() * 12_000 : 9_000)
  for (let cell = 1; performance.now() < until; cell++) {
    await first.execute(`n = ${cell}`)
    ends.push(performance.now())
    await pause(100 + random() * 800)
  }
  const end = performance.now()
  first.kill()
  const second = engine({ snapshot })
  await second.restoreState()
  const found = (await second.execute('typeof n === "undefined" ? 0 : n', { json: true })).value as number
  second.kill()
  const cells = ends.length - found
  const ms = cells === 0 ? 0 : end - (ends[found] as number)
  expect(cells <= 10 && (ms <= 5_000 || !full), `round ${round}: ${cells} cells and ${Math.round(ms)} ms behind`).toBe(true)
  return { cells, ms }
}
