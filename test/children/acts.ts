import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { expect } from 'vitest'
import { EngineManager } from '../../kernel/index.ts'
import { endGroup } from '../../plugins/subagents/child/end.ts'
import { processRows } from '../../plugins/subagents/child/processes.ts'
import { Subagent, waiter } from '../../plugins/subagents/guest/handle.ts'
import { RecordFolder } from '../../plugins/subagents/records/folder.ts'
import { preset } from '../../presets/default.ts'
import { copyState } from '../../presets/pi/state-folder.ts'
import { scripted } from '../subagents/support/agent-plugin.ts'
import { bench, catAgent, op } from '../subagents/support/fake-host.ts'
import { record } from '../subagents/support/records.ts'
import { temporaryFolder } from '../support/folder.ts'

const never = new AbortController().signal
const HOST = fileURLToPath(new URL('../subagents/support/host.mjs', import.meta.url))
const DIST = fileURLToPath(new URL('../../dist', import.meta.url))

/** Cases that are acted out here because no other test does. */
export const acts: Readonly<Record<string, () => Promise<void>>> = {
  /** A host with nothing more to do exits by itself though it has had children, and though one still runs. */
  async b005() {
    const child = spawn(process.execPath, [HOST, DIST, temporaryFolder()], { stdio: ['ignore', 'ignore', 'inherit'], env: { PATH: process.env['PATH'], BRIEF: '1', TASKS: JSON.stringify([JSON.stringify([op('hang')])]) } })
    const code = await new Promise(resolve => { child.on('exit', resolve) })
    expect(code).toBe(0)
  },
  /** The host is stuck: the guest keeps the limit of a wait by itself. */
  async b012() {
    const wait = waiter(() => new Promise(() => {}))
    await expect(wait(['x'], false, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'WAIT_TIMEOUT', message: expect.stringContaining('the host did not answer') as string })
  },
  /** A hundred children one after another leave no process. */
  async b027() {
    await using kids = bench({ agent: catAgent })
    const pids: number[] = []
    for (let index = 0; index < 100; index++) {
      const { record: { id } } = await kids.family.admit({ task: 'x', cell: 'c' })
      const [view] = await kids.family.wait([id], false, 0, never)
      pids.push(view?.record.process?.pid ?? 0)
    }
    expect(processRows().filter(row => pids.includes(row.pid))).toEqual([])
    expect(kids.family.active()).toEqual([])
  },
  /** A process that survives KILL is reported alive, and asked again the next time. */
  async b033() {
    const signals: unknown[] = []
    const immortal = { pid: 4_000_000, parent: 1, group: 4_000_000, start: '1' }
    const power = { rows: () => [immortal], signal: (target: number, name: unknown) => { signals.push([target, name]); return true } }
    expect(await endGroup(immortal.pid, 20, power)).toEqual([immortal.pid])
    const first = signals.length
    expect(await endGroup(immortal.pid, 20, power)).toEqual([immortal.pid])
    expect(signals.length).toBe(first * 2)
  },
  /** A thousand updates of one record under names that never collide. */
  async b050() {
    const folder = new RecordFolder(temporaryFolder())
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => Promise.resolve().then(() => folder.write(record({ id: 'c-1', output_bytes: index })))))
    expect(readdirSync(folder.path)).toEqual(['c-1.json'])
    expect(folder.read('c-1')?.output_bytes).toBe(999)
  },
  /** A handle costs little where it is shown. */
  b073() {
    const handle = new Subagent({ id: 'c-mx490fj1-000-667264cc', name: 'a child', status: 'completed', output_file: '/home/somebody/project/.pi-rlm/0198f2c1-session/subagents/c-mx490fj1-000-667264cc.md', task: 'x'.repeat(300) })
    expect(inspect(handle).length).toBeLessThan(300)
    return Promise.resolve()
  },
  /** Only a session's own children answer to a name. */
  async b101() {
    await using kids = bench({ agent: catAgent })
    const { record: { id } } = await kids.family.admit({ task: 'x', cell: 'c', name: 'parent' })
    const below = new RecordFolder(`${kids.family.place.base}/${id}/subagents`)
    below.prepare()
    below.write(record({ id: 'c-below', name: 'x' }))
    expect(() => kids.family.find('x')).toThrow('there is no child \'x\'')
  },
  /** A fork reads what its parent's children answered, is told that the rest is not its own, and changes nothing over there. */
  async b152() {
    const { first, second } = { first: temporaryFolder(), second: temporaryFolder() }
    const own = new EngineManager({ preset, plugins: [scripted()], snapshot: { path: `${first}/s` } })
    const fork = new EngineManager({ preset, plugins: [scripted()], snapshot: { path: `${second}/s` } })
    try {
      await own.execute(`done = await rlm.run('kept'); await done.wait(); going = await rlm.run(${JSON.stringify(op('sleep', { ms: 2_000, text: 'later' }))}, { name: 'going' }); 0`)
      await own.snapshotState()
      await copyState(`${first}/s`, `${second}/s`)
      await fork.restoreState()
      const seen = await fork.execute('const told = await going.text().catch(error => error.code); [await done.text(), told, (await rlm.listSubagents()).length, await rlm.deleteSubagent(done).catch(error => error.code)]', { json: true })
      expect(seen.value).toEqual(['kept', 'NO_CHILD', 0, 'NO_CHILD'])
      expect((await own.execute('[await going.text(), await done.text()]', { json: true })).value).toEqual(['later', 'kept'])
    } finally {
      await Promise.all([own.dispose(), fork.dispose()])
    }
  },
  /** A run leaves the user's working tree as git saw it. */
  async b174() {
    await using kids = bench({ agent: catAgent })
    execFileSync('git', ['init', '-q'], { cwd: kids.folder })
    writeFileSync(`${kids.folder}/README`, '')
    const { record: { id } } = await kids.family.admit({ task: 'x', cell: 'c' })
    await kids.family.wait([id], false, 0, never)
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: kids.folder, encoding: 'utf8' })).toBe('?? README\n')
  },
}
