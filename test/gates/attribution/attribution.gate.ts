import { expect } from 'vitest'
import { lateRound } from '../../support/late-round.ts'
import type { Gate } from '../gate.ts'

const OWN = ['second\nsecond\n', 'third\nthird\n', 'fourth\nfourth\n']

export default {
  name: 'attribution',
  bar: 'no character of what a cell left running reaches the cells that run meanwhile',
  rounds: { full: 50, short: 2 },
  guards: [
    { takenOut: 'the owner of an emitter\'s listener', edits: [{ file: 'guest/attribution/index.ts', find: '  wrapEmitters()\n', replace: '  void wrapEmitters\n' }] },
  ],
  async run({ engine, rounds, done, figure }) {
    const notebook = engine()
    let lines = 0
    for (let round = 0; round < rounds; round++) {
      const { others, own } = await lateRound(notebook, `origin ${round}`)
      expect(others.map(({ stdout, stderr }) => stdout + stderr).filter(text => text !== '')).toEqual(OWN)
      expect(new Set(others.flatMap(({ late }) => late.map(({ cell }) => cell)))).toEqual(new Set([`origin ${round}`]))
      lines += own.length
      done()
    }
    figure(`${lines} late lines`)
  },
} satisfies Gate
