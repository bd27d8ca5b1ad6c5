import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import { definePlugin } from '../../../kernel/index.ts'
import { Type } from '@sinclair/typebox'
import { insidesOf } from '../../faults/fault.ts'
import type { Gate } from '../gate.ts'

const echo = definePlugin({ name: 'echo', host: host => { host.method({ handle: 'echo', name: 'back', params: Type.Object({ x: Type.Unknown() }), run: ({ x }) => x as never }) } })

/** Cells of every kind: output, results, errors, calls, late output, long texts. */
const CELLS = [
  '1', 'undefined', '"text"', 'console.log("out"); console.error("err")', 'throw new Error("e")', 'throw null', 'let a = { b: [1, 2] }; a', 'await null; 2', 'await echo.back({ x: 1 })',
  'await Promise.all([1, 2, 3].map(x => echo.back({ x })))', 'try { await echo.nope({}) } catch (error) { error.message }', 'setTimeout(() => console.log("late"), 5); 1', '"x".repeat(300_000)',
  'for (let i = 0; i < 500; i++) console.log("line", i)', 'process.stdout.write(Buffer.from([0xf0, 0x9f, 0x99, 0x82]))', 'new Map([[1, 2]])', '({ ["__proto__"]: 1 })', 'syntax error here', 'await import("node:fs"); 3', 'echo.back({ x: 2 }); 4',
]

interface Heard { readonly seq: number; readonly type: string; readonly cell?: string; readonly [field: string]: unknown }

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  ready: ['halves', 'version', 'notes'], output: ['cell', 'channel', 'text'], ends: ['cell', 'ends'], done: ['cell', 'shown'], threw: ['cell', 'error'], aborted: ['cell'],
  call: ['call', 'cell', 'handle', 'name', 'args'], pong: ['ask'], names: ['ask', 'names'], saved: ['ask', 'report'], restored: ['ask', 'report'], refused: ['ask', 'error'], notice: ['text'],
  unattributed: ['chars'], touched: [], part: ['index', 'last', 'text'], batch: ['frames'],
}
const ENDS = ['done', 'threw', 'aborted']

export default {
  name: 'conformance',
  bar: 'every frame has a schema, a MAC, the next number and the right cell, and every cell exactly one end',
  rounds: { full: 40, short: 40 },
  guards: [
    { takenOut: 'the number of a frame', edits: [{ file: 'guest/channel/sender.ts', find: '    seq++\n', replace: '    seq += seq % 7 === 6 ? 2 : 1\n' }] },
    { takenOut: 'the check that a cell\'s end is told once', edits: [{ file: 'guest/runner.ts', find: '    cell.ended = true\n', replace: '    cell.ended = true\n    this.parts.send(frame)\n' }] },
  ],
  async run({ engine, rounds, done, figure }) {
    const notebook = engine({ plugins: [echo()] })
    const starting = notebook.start()
    let bytes = Buffer.alloc(0)
    await expect.poll(() => (insidesOf(notebook) as unknown) !== null, { timeout: 20_000, interval: 1 }).toBe(true)
    const { key, socket } = insidesOf(notebook).link
    socket.on('data', (chunk: Buffer) => { bytes = Buffer.concat([bytes, chunk]) })
    await starting
    for (let i = 0; i < rounds; i++) {
      await notebook.execute(CELLS[i % CELLS.length] as string, { timeoutMs: 20_000, cellId: `cell ${i}`, ...(i % 7 === 6 && { signal: AbortSignal.timeout(1) }) })
      done()
    }
    await notebook.execute('await new Promise(r => setTimeout(r, 50))')
    const frames = linesOf(bytes).map(line => frameOf(line, key))
    check(frames, rounds + 1)
    figure(`${frames.length} frames`)
  },
} satisfies Gate

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at)
    if (end < 0) break
    if (end > at) lines.push(bytes.subarray(at, end))
    at = end + 1
  }
  return lines
}

function frameOf(line: Buffer, key: Buffer): Heard {
  const body = line.subarray(32)
  expect(line.subarray(0, 32).toString('latin1')).toBe(createHmac('sha256', key).update(body).digest('hex').slice(0, 32))
  return JSON.parse(body.toString('utf8')) as Heard
}

function check(frames: readonly Heard[], cells: number): void {
  const ends = new Map<string, number>()
  frames.forEach((frame, i) => { expect(frame.seq).toBe((frames[0]?.seq ?? 0) + i) })
  frames.flatMap(frame => [frame, ...frame.type === 'batch' ? frame['frames'] as readonly Heard[] : []]).forEach(frame => {
    const fields = FIELDS[frame.type]
    expect(fields, frame.type).toBeDefined()
    for (const field of fields ?? []) expect(frame, frame.type).toHaveProperty(field)
    if (frame.cell === undefined) return
    expect(Number(frame.cell)).toBeGreaterThan(0)
    expect(Number(frame.cell)).toBeLessThanOrEqual(cells)
    if (ENDS.includes(frame.type)) ends.set(frame.cell, (ends.get(frame.cell) ?? 0) + 1)
  })
  for (const [cell, count] of ends) expect(count, `ends of cell ${cell}`).toBe(1)
  expect(ends.size).toBeGreaterThan(cells / 2)
}
