import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { definePlugin, type EngineManager, type Plugin } from 'pi-rlm'
import { scriptedPi } from './floor/pi.ts'
import { type GuestName, inTurn, openEngine, timed } from './measure.ts'
import type { Bench, Row } from './row.ts'

const CHILD = fileURLToPath(new URL('../../test/subagents/support/scripted-child.mjs', import.meta.url))
const CHILDREN = 61
const AT_ONCE = 8

const agent = definePlugin({
  name: 'bench-agent',
  host: host => host.childAgent({
    name: 'scripted',
    plan: ({ cwd, env }) => ({ kind: 'child', command: process.execPath, args: [CHILD], env: { ...env }, cwd, stdio: ['pipe', 'pipe', 'pipe'] }),
  }),
})

/** The same child, started by hand: its prompt on stdin, both of its outputs read, a group of its own. */
function bare(prompt: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CHILD], { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    let answer = ''
    child.stdout.on('data', (chunk: Buffer) => { answer += chunk.toString() })
    child.stderr.on('data', () => {})
    child.on('error', reject)
    child.on('close', () => { resolve(answer) })
    child.stdin.end(prompt)
  })
}

/** The same children as a map over them starts, as many at once. */
async function bareLoop(prompts: readonly string[]): Promise<string[]> {
  const answers: string[] = []
  let next = 0
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, prompts.length) }, async () => {
    for (let index = next++; index < prompts.length; index = next++) answers[index] = await bare(prompts[index] ?? '')
  }))
  return answers
}

async function cell(engine: EngineManager, code: string): Promise<unknown> {
  const { error, value } = await engine.execute(code, { json: true })
  if (error !== undefined) throw new Error(error.message)
  return value
}

const open = (guest: GuestName, plugin: Plugin = agent()): EngineManager => openEngine(guest, { plugins: [plugin], options: { subagents: { maxTotal: 0 } } })

const one: Bench = {
  name: 'one child',
  async run(guest) {
    const rows: Row[] = []
    const pi = await scriptedPi()
    if (pi !== undefined) {
      const engine = open(guest, pi.agent)
      const row = await inTurn(5, () => timed(() => cell(engine, 'await (await rlm.run("Add one and one.")).text(); 0')), () => timed(() => pi.byHand('Add one and one.')))
      await engine.dispose()
      pi.close()
      rows.push({ name: 'a child agent (pi, one cell): rlm.run to its end', guest, ...row, unit: 'ms', bar: 1.3 })
    }
    const engine = open(guest)
    const row = await inTurn(15, () => timed(() => cell(engine, 'await (await rlm.run("x")).text()')), () => timed(() => bare('x')))
    await engine.dispose()
    return [...rows, { name: 'the smallest node child: rlm.run to its end', guest, ...row, unit: 'ms' }]
  },
}

const LINE = 'User: 1000 || Instance: amber basalt cedar delta ember fjord garnet harbor iris juniper\n'
const LINES = 115_000
const OP = `#op ${JSON.stringify({ op: 'count', words: ['amber'] })}\n`

/** The prompts a map over chunks makes: as many whole lines as a chunk holds. */
function promptsOf(chunkChars: number): string[] {
  const each = Math.floor(chunkChars / LINE.length)
  return Array.from({ length: Math.ceil(LINES / each) }, (_, index) => OP + LINE.repeat(Math.min(each, LINES - index * each)))
}

const many: Bench = {
  name: 'many children',
  async run(guest) {
    const chars = Math.ceil(LINES * LINE.length / CHILDREN) + 100
    const map = `rlm.reduce(await rlm.map(chunks, chunk => rlm.run(${JSON.stringify(OP)} + chunk.text)), (sum, answer) => sum + JSON.parse(answer).records, 0)`
    const engine = open(guest)
    await cell(engine, `const text = ${JSON.stringify(LINE)}.repeat(${LINES}), chunks = rlm.chunks(text, { chars: ${chars} }); 0`)
    const mapped = async (): Promise<void> => { if (await cell(engine, map) !== LINES) throw new Error('the engine\'s count is wrong') }
    // Before the floor's own prompts are in this process.
    const grown = await growth(mapped)
    const prompts = promptsOf(chars)
    const looped = async (): Promise<void> => {
      const answers = await bareLoop(prompts)
      if (answers.reduce((sum, answer) => sum + (JSON.parse(answer) as { records: number }).records, 0) !== LINES) throw new Error('the floor\'s count is wrong')
    }
    const row = await inTurn(5, () => timed(mapped), () => timed(looped))
    await engine.dispose()
    return [{ name: `10 MB, ${prompts.length} children, map and reduce`, guest, ...row, unit: 'ms', bar: 1.3, note: `host +${grown.toFixed(0)} MB at most` }]
  },
}

/** What this process grew by at most while it was done three times, after a first time for the code itself. */
async function growth(work: () => Promise<void>): Promise<number> {
  await work()
  const before = process.memoryUsage.rss()
  let most = before
  const look = setInterval(() => { most = Math.max(most, process.memoryUsage.rss()) }, 10)
  for (let round = 0; round < 3; round++) await work()
  clearInterval(look)
  return (most - before) / 2 ** 20
}

const COUNTS = [1, 20, 200] as const

const growing: Bench = {
  name: 'children from 1 to 200',
  async run(guest) {
    const rows: Row[] = []
    for (const count of COUNTS) {
      const engine = open(guest)
      const before = process.memoryUsage.rss()
      const prompts = Array.from({ length: count }, (_, index) => `n${index}`)
      const row = await inTurn(3, () => timed(() => cell(engine, `(await rlm.map(Array.from({ length: ${count} }, (_, n) => 'n' + n), task => rlm.run(task))).length`)), () => timed(() => bareLoop(prompts)))
      rows.push({ name: `${count} ${count === 1 ? 'child' : 'children'}, 8 at once`, guest, ...row, unit: 'ms', note: `${(row.value / count).toFixed(0)} ms each, host +${((process.memoryUsage.rss() - before) / 2 ** 20).toFixed(0)} MB` })
      await engine.dispose()
    }
    return rows
  },
}

export default [one, many, growing]
