import type { Gate } from '../gate.ts'
import { inside } from './support/inside.ts'

export default {
  name: 'malformed-state',
  bar: 'no malformed state crashes or hangs a start, and none brings back a value that is silently another one',
  rounds: { full: 20_000, short: 450 },
  guards: [
    { takenOut: 'the comparison of a value\'s bytes with its hash', edits: [{ file: 'guest/store/restore.ts', find: 'if (sha256(bytes).toString(\'hex\') !== record.hash) throw new Error(\'its bytes are damaged\')', replace: 'void sha256' }] },
  ],
  async run({ preset, rounds, done, figure }) {
    const { altered } = await inside(preset, './malformed.script.ts', { count: rounds, seed: 7 }, done)
    figure(`${altered} with values named as changed`)
  },
} satisfies Gate
