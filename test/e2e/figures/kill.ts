import { setTimeout as sleep } from 'node:timers/promises'
import { deepTree, eventually, processesOf, RLM } from '../harness/delegation.ts'
import { GUESTS, type Guest, type Version } from '../harness/installations.ts'
import { startScriptedModel } from '../harness/model.ts'
import { Pi } from '../harness/pi.ts'
import { median, ms, table } from './table.ts'

const ROUNDS = 5
const LIMIT_MS = 60_000

interface End { readonly processes: number; readonly tookMs: number }

/** How long after kill -9 of a pi the last process of its tree is gone: notebooks, children of children, a shell. */
async function end(version: Version, guest: Guest): Promise<End> {
  const tree = deepTree()
  const model = await startScriptedModel(tree.script)
  const pi = new Pi({ version, guest, modelUrl: model.url })
  try {
    const rpc = pi.rpc(RLM)
    await rpc.send('prompt', { message: tree.prompt })
    await eventually('the tree has grown', () => tree.grown(pi, model.requests), LIMIT_MS)
    const processes = processesOf(pi).length
    const from = performance.now()
    process.kill(rpc.pid, 'SIGKILL')
    while (processesOf(pi).length > 0 && performance.now() - from < LIMIT_MS) await sleep(10)
    return { processes, tookMs: performance.now() - from }
  } finally {
    await pi.remove()
    await model.close()
  }
}

/** The time from kill -9 of the root to no process, on both guests. */
export async function kills(version: Version): Promise<void> {
  const rows: string[][] = []
  for (const guest of GUESTS) {
    const ends: End[] = []
    for (let round = 0; round < ROUNDS; round++) ends.push(await end(version, guest))
    const took = ends.map(each => each.tookMs)
    rows.push([guest, String(median(ends.map(each => each.processes))), ms(median(took)), ms(Math.max(...took))])
  }
  table([`pi ${version}: root killed`, 'processes', 'median', 'longest'], rows)
}
