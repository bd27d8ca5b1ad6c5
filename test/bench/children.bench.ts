import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { definePlugin, type EngineManager } from 'pi-rlm'
import { type GuestName, inTurn, openEngine, timed } from './measure.ts'
import type { Bench } from './row.ts'

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

/** The same child, started by hand. */
function bare(prompt: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CHILD], { stdio: ['pipe', 'pipe', 'ignore'] })
    let answer = ''
    child.stdout.on('data', (chunk: Buffer) => { answer += chunk.toString() })
    child.on('error', reject)
    child.on('close', () => { resolve(answer) })
    child.stdin.end(prompt)
  })
}

async function bareLoop(prompts: readonly string[]): Promise<number> {
  let next = 0
  let sum = 0
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (next < prompts.length) sum += (JSON.parse(await bare(prompts[next++] ?? '')) as { records: number }).records
  }))
  return sum
}

async function cell(engine: EngineManager, code: string): Promise<number> {
  return timed(async () => {
    const { error } = await engine.execute(code)
    if (error !== undefined) throw new Error(error.message)
  })
}

const open = (guest: GuestName): EngineManager => openEngine(guest, { plugins: [agent()], options: { subagents: { maxTotal: 0 } } })

const one: Bench = {
  name: 'one child',
  async run(guest) {
    const engine = open(guest)
    await engine.execute('await (await rlm.run("warm")).text()')
    const row = await inTurn(15, () => cell(engine, 'await (await rlm.run("x")).text()'), () => timed(() => bare('x')))
    await engine.dispose()
    return [{ name: 'a child agent: rlm.run to its end', guest, ...row, unit: 'ms', bar: 1.3 }]
  },
}

const many: Bench = {
  name: 'many children',
  async run(guest) {
    const op = `#op ${JSON.stringify({ op: 'count', words: ['amber'] })}\n`
    const text = 'User: 1000 || Instance: amber basalt cedar delta ember fjord garnet harbor iris juniper\n'.repeat(115_000)
    const engine = open(guest)
    await engine.execute(`const text = ${JSON.stringify(text.slice(0, 88))}.repeat(115_000); const chunks = rlm.chunks(text, { chars: Math.ceil(text.length / ${CHILDREN}) + 100 }); 0`)
    const size = Math.ceil(text.length / CHILDREN)
    const prompts = Array.from({ length: CHILDREN }, (_, index) => op + text.slice(index * size, (index + 1) * size))
    const before = process.memoryUsage.rss()
    const map = `rlm.reduce(await rlm.map(chunks, chunk => rlm.run(${JSON.stringify(op)} + chunk.text)), (sum, answer) => sum + JSON.parse(answer).records, 0)`
    const row = await inTurn(5, () => cell(engine, map), () => timed(() => bareLoop(prompts)))
    const grown = (process.memoryUsage.rss() - before) / 2 ** 20
    await engine.dispose()
    return [{ name: `10 MB, ${CHILDREN} children, map and reduce`, guest, ...row, unit: 'ms', bar: 1.3, note: `host +${grown.toFixed(0)} MB over all rounds` }]
  },
}

export default [one, many]
