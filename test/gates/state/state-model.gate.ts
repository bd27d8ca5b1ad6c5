import { join } from 'node:path'
import { expect } from 'vitest'
import { runProgram } from '../../state/support/model.ts'
import type { Gate } from '../gate.ts'
import { inside } from './support/inside.ts'

/** Cells in one program. */
const CELLS = 50
/** One program in so many runs in processes that are really killed; the others share one, with the store and the cells of the guest. */
const KILLED = 20
const QUIET = { autosave: { debounceMs: 3_600_000, maxWaitMs: 3_600_000, maxWaitCells: 1_000_000 } }

export default {
  name: 'state-model',
  bar: 'what is restored is what a model of the same programs holds, up to what the reports named',
  rounds: { full: 2_000, short: 40 },
  guards: [
    { takenOut: 'the look at names that nobody touched', edits: [{ file: 'guest/store/watched.ts', find: 'return unchanged(value, this.trace)', replace: 'return unchanged(value, this.trace) || true' }] },
    { takenOut: 'saving names that share objects together', edits: [{ file: 'guest/store/dirty.ts', find: 'join(leaders, name, known.name)', replace: 'void join' }] },
  ],
  async run({ engine, folder, preset, rounds, done, figure }) {
    const total = { names: 0, stale: 0, falselyStale: 0, restores: 0 }
    const add = (result: Readonly<Record<string, number>>): void => { for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += result[key] ?? 0 }
    const seeds = Array.from({ length: rounds }, (_, i) => i + 1)
    add(await inside(preset, './model.script.ts', { seeds: seeds.filter(seed => seed % KILLED !== 0), cells: CELLS }, done))
    for (const seed of seeds.filter(each => each % KILLED === 0)) {
      const snapshot = { path: join(folder(), 'state') }
      add({ ...await runProgram(() => engine({ snapshot, options: QUIET }), seed, CELLS) })
      done()
    }
    figure(`${total.restores} restores, ${total.names} names saved, ${total.stale} reported as possibly stale, ${total.falselyStale} of them needlessly`)
    expect(total.falselyStale).toBeLessThanOrEqual(total.names * 0.05)
  },
} satisfies Gate
