import { join } from 'node:path'
import { expect } from 'vitest'
import { randomFrom } from '../../state/support/disks.ts'
import { pause } from '../../support/engine.ts'
import type { Gate } from '../gate.ts'

export default {
  name: 'bounded-loss',
  bar: 'a notebook that is killed at any time is at most 5 seconds or 10 cells behind',
  rounds: { full: 100, short: 1 },
  guards: [
    { takenOut: 'the ceilings of autosave', edits: [
      { file: 'plugins/autosave/schedule.ts', find: 'this.ceiling ??= this.timers.set(() => void this.now(), maxWaitMs * EARLY)', replace: 'void maxWaitMs' },
      { file: 'plugins/autosave/schedule.ts', find: 'if (this.cells >= Math.max(1, Math.floor(maxWaitCells * EARLY))) void this.now()', replace: 'void maxWaitCells' },
    ] },
  ],
  async run({ engine, folder, rounds, full, done, figure }) {
    const random = randomFrom(5)
    let worstCells = 0
    let worstMs = 0
    for (let round = 0; round < rounds; round++) {
      const snapshot = { path: join(folder(), 'state') }
      const first = engine({ snapshot })
      const ends: number[] = []
      const until = performance.now() + (full ? 3_000 + random() * 12_000 : 9_000)
      for (let cell = 1; performance.now() < until; cell++) {
        await first.execute(`n = ${cell}`)
        ends.push(performance.now())
        await pause(100 + random() * 800)
      }
      const killed = performance.now()
      first.kill()
      const second = engine({ snapshot })
      await second.restoreState()
      const found = (await second.execute('typeof n === "undefined" ? 0 : n', { json: true })).value as number
      second.kill()
      const behind = ends.length - found
      const lostFor = behind === 0 ? 0 : killed - (ends[found] as number)
      expect(behind <= 10 && (lostFor <= 5_000 || !full), `round ${round}: ${behind} cells and ${Math.round(lostFor)} ms behind`).toBe(true)
      worstCells = Math.max(worstCells, behind)
      worstMs = Math.max(worstMs, lostFor)
      done()
    }
    figure(`at worst ${worstCells} cells, ${Math.round(worstMs)} ms behind`)
  },
} satisfies Gate
