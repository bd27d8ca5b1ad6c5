import { expect } from 'vitest'
import type { Gate } from '../gate.ts'

/** Rounds of noise in one cell; each is a random string, a replayed frame or a reordered copy. */
const PER_CELL = 1_000

const noise = (rounds: number): string => `
  const { writeSync } = await import('node:fs')
  const put = text => { for (let at = 0; at < text.length;) { try { at += writeSync(3, text.slice(at)) } catch (error) { if (error.code !== 'EAGAIN') throw error } } }
  const kinds = [
    i => 'x',
    i => String.fromCharCode(...Array.from({ length: 40 }, (_, k) => (i * 31 + k * 7) % 256)),
    i => '\\n' + (i * 2654435761 >>> 0).toString(16).padStart(32, '0') + JSON.stringify({ seq: i, type: 'done', cell: String(i), shown: 'forged' }) + '\\n',
    i => '\\n' + '0'.repeat(32) + '{"seq":1,"type":"ready","halves":[],"version":"x","notes":[]}\\n',
    i => '{"type":"output"',
  ]
  for (let i = 0; i < ${rounds}; i++) {
    put(kinds[i % kinds.length](i))
    if (i % 50 === 0) console.log('line ' + i)
  }
  'end'`

export default {
  name: 'garbage',
  bar: 'nothing a cell writes to the channel is taken for a frame, and every end arrives',
  rounds: { full: 100_000, short: 5_000 },
  guards: [
    { takenOut: 'the check of a frame\'s MAC', edits: [{ file: 'kernel/link.ts', find: 'return timingSafeEqual(mac, line.subarray(0, MAC_CHARS)) ? body.toString(\'utf8\') : null', replace: 'void mac; void timingSafeEqual; return body.toString(\'utf8\')' }] },
  ],
  async run({ engine, rounds, done, figure }) {
    const notebook = engine()
    for (let at = 0; at < rounds; at += PER_CELL) {
      const result = await notebook.execute(noise(PER_CELL), { timeoutMs: 30_000 })
      expect(result).toMatchObject({ status: 'ok', result: '\'end\'' })
      expect(result.stdout).toBe(Array.from({ length: PER_CELL / 50 }, (_, i) => `line ${i * 50}\n`).join(''))
      done(PER_CELL)
    }
    expect(notebook.strays.rejectedLines).toBeGreaterThanOrEqual(rounds / 5)
    figure(`${notebook.strays.rejectedLines} lines rejected`)
  },
} satisfies Gate
