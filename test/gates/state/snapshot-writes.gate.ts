import { join } from 'node:path'
import { expect } from 'vitest'
import { faultyDisk, MemoryDisk, randomFrom } from '../../state/support/disks.ts'
import { powerLoss } from '../../state/support/power-loss.ts'
import { readState, writeScenario } from '../../state/support/scenario.ts'
import { pause } from '../../support/engine.ts'
import type { Gate, GateContext } from '../gate.ts'

const CODES = ['EIO', 'ENOSPC', 'EACCES', 'EROFS', 'EMFILE']
const QUIET = { autosave: { debounceMs: 3_600_000, maxWaitMs: 3_600_000, maxWaitCells: 1_000_000 } }

export default {
  name: 'snapshot-writes',
  bar: 'whatever fails while a snapshot is written, the state on disk is one that was saved and not older than the last report',
  rounds: { full: 500, short: 4 },
  guards: [
    { takenOut: 'the sync that ends a save', edits: [{ file: 'guest/store/log.ts', find: '      writeAll(this.disk, file, buffer, this.end)\n      this.disk.sync(file)', replace: '      writeAll(this.disk, file, buffer, this.end)' }] },
  ],
  async run(context) {
    const images = context.full ? 500 : 100
    let told = 0
    for (let image = 0; image < images; image++) told += await powerLoss(image + 1000)
    const steps = await failEachStep()
    await killWhileSaving(context)
    context.figure(`${told} of ${images} power losses after a report; ${steps} failing steps`)
  },
} satisfies Gate

/** Every step of the writer, every code and a short write. */
async function failEachStep(): Promise<number> {
  const first = faultyDisk(new MemoryDisk())
  await writeScenario('/state', { disk: first }, () => {})
  let tried = 0
  for (const code of [...CODES, 'short']) {
    for (let at = 0; at < first.steps.length; at++, tried++) {
      const memory = new MemoryDisk()
      const disk = faultyDisk(memory)
      disk.arm(at, code === 'short' ? { type: 'short' } : { type: 'error', code })
      let last: Readonly<Record<string, unknown>> | null = null
      await writeScenario('/state', { disk }, state => { last = state }).catch(() => {})
      const found = await readState('/state', { disk: memory })
      if (last !== null) for (const name of Object.keys(last as object).filter(each => each !== 'gone')) expect(found?.[name], `${code} at step ${at} (${first.steps[at]}): ${name}`).toEqual((last as Record<string, unknown>)[name])
    }
  }
  return tried
}

/** The guest is killed at a random moment of a save of a large state. */
async function killWhileSaving({ engine, folder, full, rounds, done }: GateContext): Promise<void> {
  const random = randomFrom(11)
  const path = join(folder(), 'state')
  const bytes = full ? 60 << 20 : 2 << 20
  let reported = 0
  let n = 0
  let notebook = engine({ snapshot: { path }, options: QUIET })
  await notebook.execute(`n = 0; big = new Uint8Array(${bytes}); small = [0]`)
  // A save of this machine takes about so long: a kill comes at any of its steps, or after it.
  const from = performance.now()
  await notebook.snapshotState()
  const usual = (performance.now() - from) * 1.2
  for (let round = 0; round < rounds; round++) {
    const value = ++n
    await notebook.execute(`n = ${value}; new DataView(big.buffer).setUint32(0, n); small[0] = n`)
    const saving = notebook.snapshotState().then(() => { reported = value }, () => {})
    await Promise.race([saving, pause(random() * usual)])
    notebook.kill()
    await saving
    notebook = engine({ snapshot: { path }, options: QUIET })
    await notebook.restoreState()
    const found = await notebook.execute('[n, new DataView(big.buffer).getUint32(0), small[0]]', { json: true })
    const [restored, ...others] = found.value as number[]
    expect(restored, `round ${round}`).toBeGreaterThanOrEqual(reported)
    expect(others, `round ${round}`).toEqual([restored, restored])
    n = restored as number
    done()
  }
}
