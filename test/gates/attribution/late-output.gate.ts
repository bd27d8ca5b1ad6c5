import { expect } from 'vitest'
import { lateRound } from '../../support/late-round.ts'
import { EXPECTED } from '../../support/late-sources.ts'
import type { Gate } from '../gate.ts'

export default {
  name: 'late output',
  bar: 'every line a cell says after its end arrives under its own id, and nothing is left without a cell',
  rounds: { full: 50, short: 2 },
  guards: [
    { takenOut: 'the owner of an event target\'s handler', edits: [{ file: 'guest/attribution/index.ts', find: '  wrapEventTargets()\n', replace: '  void wrapEventTargets\n' }] },
    { takenOut: 'the reading of a child\'s inherited output', edits: [{ file: 'guest/processes/stdio.ts', find: 'if (channel !== undefined) return replacement(channel)', replace: 'void replacement' }] },
  ],
  async run({ engine, rounds, done, figure }) {
    const notebook = engine()
    let lines = 0
    for (let round = 0; round < rounds; round++) {
      const { own } = await lateRound(notebook, `origin ${round}`)
      expect(own).toEqual(EXPECTED)
      expect(notebook.strays).toMatchObject({ unattributed: 0, rawBytes: 0 })
      lines += own.length
      done()
    }
    figure(`${lines} late lines, 0 characters without a cell`)
  },
} satisfies Gate
