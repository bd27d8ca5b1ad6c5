import { spawn } from 'node:child_process'
import { type GuestName, inTurn, openEngine, program, timed } from './measure.ts'
import type { Bench } from './row.ts'

const LINES = 200_000
const LINES_CODE = `for (let i = 0; i < ${LINES}; i++) console.log('line number', i)`
const WRITE_CODE = 'process.stdout.write(\'x\'.repeat(100_000_000))'

/** The same text from a bare program over a raw pipe, read to its end. */
async function raw(guest: GuestName, code: string): Promise<number> {
  const child = spawn(program(guest), ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  return timed(() => new Promise(resolve => { child.stdout.on('data', () => {}); child.on('close', resolve) }))
}

/** The same write from a bare program to /dev/null. */
async function toNothing(guest: GuestName): Promise<number> {
  const child = spawn(program(guest), ['-e', 'require("fs").writeFileSync("/dev/null", "x".repeat(100_000_000))'], { stdio: 'ignore' })
  return timed(() => new Promise(resolve => { child.on('close', resolve) }))
}

/** What the host's memory grew by, at most, while `work` ran. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss
  let most = before
  const look = setInterval(() => { most = Math.max(most, process.memoryUsage().rss) }, 10)
  await work()
  clearInterval(look)
  return (Math.max(most, process.memoryUsage().rss) - before) / 1e6
}

const output: Bench = {
  name: 'output',
  async run(guest) {
    const engine = openEngine(guest)
    await engine.execute('1')
    const lines = await inTurn(5, () => timed(() => engine.execute(LINES_CODE)), () => raw(guest, `const out = []; for (let i = 0; i < ${LINES}; i++) out.push('line number ' + i); process.stdout.write(out.join('\\n'))`))
    const linesMemory = await growth(() => engine.execute(LINES_CODE))
    const write = await inTurn(5, () => timed(() => engine.execute(WRITE_CODE)), () => toNothing(guest))
    const writeMemory = await growth(() => engine.execute(WRITE_CODE))
    await engine.dispose()
    return [
      { name: 'console.log of 200,000 lines', guest, ...lines, unit: 'ms', bar: 5, note: `host +${linesMemory.toFixed(0)} MB` },
      { name: '100 MB in one write, capped', guest, ...write, unit: 'ms', bar: 3, note: `host +${writeMemory.toFixed(0)} MB` },
    ]
  },
}

export default [output]
