import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Guest, Version } from '../harness/installations.ts'
import { startScriptedModel } from '../harness/model.ts'
import { EXTENSION, ISOLATION, Pi } from '../harness/pi.ts'
import type { Rpc } from '../harness/rpc.ts'
import { byPrompt, toolCall, type TurnPlan } from '../harness/script.ts'
import { median, ms, table } from './table.ts'

/** Sessions that a figure of a first call comes from, and calls that one of later calls comes from. */
const SESSIONS = 5
const CALLS = 25
const READ = 'await tools.read({ path: "file.txt" })'
const FLOOD = 'for (let i = 0; i < 20_000; i++) console.log("line number", i)'

interface Setup { readonly version: Version; readonly guest?: Guest; readonly flags?: readonly string[]; readonly args: readonly string[] }
type Turns = readonly (string | TurnPlan)[]
interface Session { readonly taken: readonly number[]; readonly bytes: number; readonly sinceStart: number }

const plain = (name: string, args: object): TurnPlan => ({ calls: [toolCall(name, args)] })
const times = <T>(turn: T, count = CALLS): T[] => Array.from({ length: count }, () => turn)

/** The calls of one prompt to one session, each from its start to its end as the client hears of them. */
async function session({ version, args, ...setup }: Setup, turns: Turns, ready: (rpc: Rpc) => Promise<void>): Promise<Session> {
  const model = await startScriptedModel(byPrompt({ go: turns }))
  const pi = new Pi({ version, modelUrl: model.url, ...setup })
  writeFileSync(join(pi.work, 'file.txt'), 'a line of text\n'.repeat(200))
  const started = performance.now()
  const rpc = pi.rpc(args)
  try {
    await ready(rpc)
    const from = rpc.events.length
    await rpc.prompt('go')
    const events = rpc.events.slice(from)
    const starts = new Map(events.filter(event => event.type === 'tool_execution_start').map(event => [event.toolCallId, event.at ?? NaN]))
    const ends = events.filter(event => event.type === 'tool_execution_end' && !event.toolCallId?.includes('/'))
    const failed = ends.find(event => event.isError === true)
    if (failed !== undefined) throw new Error(`a call failed: ${JSON.stringify(failed.result)}`)
    return { taken: ends.map(event => (event.at ?? NaN) - (starts.get(event.toolCallId) ?? NaN)), bytes: rpc.received, sinceStart: (ends[0]?.at ?? NaN) - started }
  } finally {
    await rpc.close()
    await pi.remove()
    await model.close()
  }
}

/** The prompt is the first thing pi hears. */
const atOnce = (): Promise<void> => Promise.resolve()
/** pi has been idle until its notebook answers. */
async function whenReady(rpc: Rpc): Promise<void> {
  for (;;) {
    const from = rpc.events.length
    await rpc.send('prompt', { message: '/rlm status' })
    const { message } = await rpc.next(event => event.method === 'notify', { from })
    if (/Names: \d/.test(String(message))) return
    await sleep(50)
  }
}
const idle = async (rpc: Rpc): Promise<void> => { await rpc.send('get_state') }

/**
 * First calls of fresh sessions, of sessions whose guest is ready, and later calls. What a fresh session waits for its
 * guest may fall before the call, while pi asks its model, or into it: the time since the start of pi has both.
 */
async function row(name: string, setup: Setup, turn: string | TurnPlan, settled: (rpc: Rpc) => Promise<void>): Promise<string[]> {
  const fresh: Session[] = []
  const first: number[] = []
  const later: number[] = []
  for (let n = 0; n < SESSIONS; n++) fresh.push(await session(setup, [turn], atOnce))
  for (let n = 0; n < SESSIONS; n++) {
    const { taken: [one = NaN, ...others] } = await session(setup, times(turn, n === 0 ? CALLS : 2), settled)
    first.push(one)
    later.push(...others)
  }
  return [name, ms(median(fresh.map(each => each.sinceStart))), ms(median(fresh.map(each => each.taken[0] ?? NaN))), ms(median(first)), ms(median(later))]
}

/** What a call costs as a client of pi sees it, on both guests, beside pi's own tool. */
export async function calls(version: Version): Promise<void> {
  const rows = [await row('pi\'s own read', { version, args: [] }, plain('read', { path: 'file.txt' }), idle)]
  const bytes: string[] = []
  for (const guest of ['bun', 'node'] as const) {
    const setup = { version, guest, args: ['--rlm=1', '-e', EXTENSION] }
    rows.push(await row(`${guest}: 1`, setup, '1', whenReady), await row(`${guest}: ${READ}`, setup, READ, whenReady))
    bytes.push(`${((await session(setup, [FLOOD], whenReady)).bytes / 1024).toFixed(0)} KiB on ${guest}`)
  }
  if (version === '1.6') {
    const setup = { version, args: ['--tools', '+codemode'], flags: ISOLATION.filter(flag => flag !== '--no-extensions') }
    rows.push(await row('codemode: tools.read', setup, plain('codemode', { code: 'return await tools.read({ path: "file.txt" })' }), idle))
  }
  table([`pi ${version}`, 'start of pi to first result', 'first, prompt at once', 'first, guest ready', 'later'], rows)
  console.log(`  20,000 printed lines are ${bytes.join(' and ')} of RPC events`)
}
