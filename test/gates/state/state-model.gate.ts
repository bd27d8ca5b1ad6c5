import { join } from 'node:path'
import { expect } from 'vitest'
import { runProgram } from '../../state/support/model.ts'
import type { Gate } from '../gate.ts'

/** Cells in one program. */
const CELLS = 50

export default {
  name: 'state-model',
  bar: 'what is restored is what a model of the same programs holds, up to what the reports named',
  rounds: { full: 1_000, short: 4 },
  guards: [
    { takenOut: 'the look at names that nobody touched', edits: [{ file: 'guest/store/watch.ts', find: 'if (!unchanged(box.value, trace)) changed.push(name)', replace: 'if (!unchanged(box.value, trace)) void changed' }] },
    { takenOut: 'saving names that share objects together', edits: [{ file: 'guest/store/dirty.ts', find: 'join(leaders, name, known.name)', replace: 'void join' }] },
  ],
  async run({ engine, folder, rounds, done, figure }) {
    const total = { names: 0, stale: 0, falselyStale: 0, restores: 0 }
    for (let round = 0; round < rounds; round++) {
      const result = await runProgram(engine, join(folder(), 'state'), round + 1, CELLS)
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += result[key]
      done()
    }
    figure(`${total.restores} restores, ${total.names} names saved, ${total.stale} reported as possibly stale`)
    expect(total.falselyStale).toBeLessThanOrEqual(total.names * 0.05)
  },
} satisfies Gate
