import { expect } from 'vitest'
import type { Gate } from '../gate.ts'

const SIZES = [1_000_000, 60_000] as const

/** A child that prints and exits; the cell ends with it, or is busy meanwhile and ends without having looked. */
const cell = (bytes: number, letter: string): string => `
  const exit = new Promise(resolve => spawn('sh', ['-c', 'head -c ${bytes} /dev/zero | tr "\\\\0" ${letter}'], { stdio: ['ignore', 'inherit', 'inherit'] }).on('exit', resolve))
  ${bytes === SIZES[0] ? 'await exit' : 'for (const end = Date.now() + 500; Date.now() < end;);'}`

export default {
  name: 'child output',
  bar: 'a child that prints a megabyte just before its cell ends loses no byte, and none arrives in the next cell',
  rounds: { full: 200, short: 10 },
  guards: [
    { takenOut: 'the reading of children\'s output before the end of a cell is told', edits: [{ file: 'guest/processes/index.ts', find: 'await spawning.children.drain(cell)', replace: 'await Promise.resolve(cell)' }] },
  ],
  async run({ engine, rounds, done }) {
    const notebook = engine()
    await notebook.execute('const { spawn } = await import("node:child_process")')
    for (let round = 0; round < rounds; round++) {
      const bytes = SIZES[round % 2] as number
      const result = await notebook.execute(cell(bytes, 'abcdefgh'.charAt(round % 8)), { maxOutputChars: bytes * 2 })
      expect(result.stdout.length).toBe(bytes)
      expect(new Set(result.stdout).size).toBe(1)
      expect(await notebook.execute('"next"')).toMatchObject({ stdout: '', late: [] })
      done()
    }
  },
} satisfies Gate
