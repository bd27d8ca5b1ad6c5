import { expect } from 'vitest'
import type { Gate } from '../gate.ts'

const BYTES = 1_000_000

/** A child that prints a megabyte and exits; the cell ends with it. */
const cell = (round: number): string => `
  await new Promise(resolve => spawn('sh', ['-c', 'head -c ${BYTES} /dev/zero | tr "\\\\0" ${'abcdefgh'.charAt(round % 8)}'], { stdio: ['ignore', 'inherit', 'inherit'] }).on('exit', resolve))`

export default {
  name: 'child output',
  bar: 'a child that prints a megabyte just before its cell ends loses no byte, and none arrives in the next cell',
  rounds: { full: 200, short: 10 },
  guards: [
    {
      takenOut: 'the reading of what is left before a child\'s exit is told',
      edits: [
        { file: 'guest/processes/node.ts', find: '    spawning.children.remove(number, child)\n    void child.drain()', replace: '    spawning.children.remove(number, child)' },
        { file: 'guest/processes/bun.ts', find: '    const work = started.settle?.()\n', replace: '    const work = undefined as Promise<void> | undefined\n' },
      ],
    },
  ],
  async run({ engine, rounds, done, figure }) {
    const notebook = engine()
    await notebook.execute('const { spawn } = await import("node:child_process")')
    for (let round = 0; round < rounds; round++) {
      const result = await notebook.execute(cell(round), { maxOutputChars: BYTES * 2 })
      expect(result.stdout.length).toBe(BYTES)
      expect(new Set(result.stdout).size).toBe(1)
      expect(await notebook.execute('"next"')).toMatchObject({ stdout: '', late: [] })
      done()
    }
    figure(`${rounds} MB`)
  },
} satisfies Gate
