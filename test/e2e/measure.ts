/**
 * What a session costs as a client of pi sees it: `test/e2e/node_modules/.bin/node test/e2e/measure.ts`. Every figure
 * stands beside a floor that was measured in the same run, as machines differ and are shared.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { missing, type Version, VERSIONS } from './harness/installations.ts'
import { startScriptedModel } from './harness/model.ts'
import { EXTENSION, ISOLATION, Pi } from './harness/pi.ts'
import { byPrompt, toolCall, type TurnPlan } from './harness/script.ts'

const ROUNDS = 25
const RLM = ['--rlm=1', '-e', EXTENSION]
const READ = 'await tools.read({ path: "file.txt" })'

const times = <T>(turn: T): T[] => Array.from({ length: ROUNDS }, () => turn)
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
const plain = (name: string, args: object): TurnPlan => ({ calls: [toolCall(name, args)] })

interface Measured { readonly first: number; readonly later: number; readonly bytes: number }

/** Runs the calls of one prompt and takes the time of each, from its start to its end as the client hears of them. */
async function measure(version: Version, turns: readonly (string | TurnPlan)[], args: readonly string[], flags: readonly string[] = ISOLATION): Promise<Measured> {
  const model = await startScriptedModel(byPrompt({ go: turns }))
  const pi = new Pi({ version, modelUrl: model.url, flags })
  writeFileSync(join(pi.work, 'file.txt'), 'a line of text\n'.repeat(200))
  const rpc = pi.rpc(args)
  await rpc.send('get_state')
  await rpc.prompt('go')
  const starts = new Map(rpc.events.filter(event => event.type === 'tool_execution_start').map(event => [event.toolCallId, event]))
  const ends = rpc.events.filter(event => event.type === 'tool_execution_end' && !event.toolCallId?.includes('/'))
  const failed = ends.find(event => event.isError === true)
  if (failed !== undefined) throw new Error(`a call failed: ${JSON.stringify(failed.result)}`)
  const taken = ends.map(event => (event.at ?? NaN) - (starts.get(event.toolCallId)?.at ?? NaN))
  const { received } = rpc
  await rpc.close()
  await pi.remove()
  await model.close()
  return { first: taken[0] ?? NaN, later: median(taken.slice(1)), bytes: received }
}

const ms = (value: number): string => `${value.toFixed(1)} ms`

for (const version of VERSIONS) {
  const lack = missing(version)
  if (lack !== undefined) {
    console.log(`pi ${version}: left out, ${lack}`)
    continue
  }
  const own = await measure(version, times(plain('read', { path: 'file.txt' })), [])
  const trivial = await measure(version, times('1'), RLM)
  const bridged = await measure(version, times(READ), RLM)
  const flood = await measure(version, ['for (let i = 0; i < 20_000; i++) console.log("line number", i)'], RLM)
  const rows = [
    ['pi\'s own read', ms(own.first), ms(own.later), '1.0'],
    ['a cell: 1', ms(trivial.first), ms(trivial.later), (trivial.later / own.later).toFixed(1)],
    [`a cell: ${READ}`, ms(bridged.first), ms(bridged.later), (bridged.later / own.later).toFixed(1)],
  ]
  if (version === '1.6') {
    const codemode = await measure(version, times(plain('codemode', { code: 'return await tools.read({ path: "file.txt" })' })), ['--tools', '+codemode'], ISOLATION.filter(flag => flag !== '--no-extensions'))
    rows.push(['codemode: tools.read', ms(codemode.first), ms(codemode.later), (codemode.later / own.later).toFixed(1)])
  }
  console.log(`\npi ${version}${' '.repeat(44)}first      later (median)   x pi's own read`)
  for (const [name = '', first = '', later = '', ratio = ''] of rows) console.log(`  ${name.padEnd(46)}${first.padStart(10)}${later.padStart(14)}${ratio.padStart(14)}`)
  console.log(`  20,000 printed lines: ${(flood.bytes / 1024).toFixed(0)} KiB of RPC events`)
}
