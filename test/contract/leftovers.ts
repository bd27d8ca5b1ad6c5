import { expect } from 'vitest'
import { census } from '../../kernel/processes.ts'
import { type EngineManager, until } from '../support/engine.ts'
import type { ContractCase } from './case.ts'

/** Cells that start processes in every way, and wait for ever. `55555` names ours. */
const STARTS: Readonly<Record<string, string>> = {
  'a plain child': 'spawn("sleep", ["55555"])',
  'a child with inherited output': 'spawn("sleep", ["55555"], { stdio: "inherit" })',
  'a detached child': 'spawn("sleep", ["55555"], { detached: true, stdio: "ignore" }).unref()',
  'a shell with children of its own': 'exec("sleep 55555 & sleep 55555")',
  'a grandchild in a session of its own': 'spawn("sh", ["-c", "(setsid sleep 55555 &)"], { stdio: "ignore" })',
  'a child that ignores SIGTERM': 'spawn("sh", ["-c", "trap \\"\\" TERM; sleep 55555; sleep 55555"])',
}

const prepare = 'const { spawn, exec, execSync } = await import("node:child_process")'

const sleepers = async (engine: EngineManager): Promise<number> =>
  (await census({ tag: engine.processTag, guest: engine.guestPid ?? undefined })).filter(({ command }) => command === 'sleep').length

const cases: readonly ContractCase[] = [
  {
    title: 'ends what a cancelled cell started, however it was started, and nothing else',
    why: 'a cancel that leaves the work running is no cancel',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute(`${prepare}; spawn("sleep", ["55555"])`)
      const stop = new AbortController()
      const running = notebook.execute(`${Object.values(STARTS).join(';')}; await new Promise(() => {})`, { signal: stop.signal })
      await until('the children run', async () => await sleepers(notebook) >= Object.keys(STARTS).length + 2)
      const started = (await census({ tag: notebook.processTag })).map(({ cell }) => cell)
      expect(started.filter(cell => cell === 1)).toHaveLength(1)
      expect(started.filter(cell => cell !== 1 && cell !== 2)).toEqual([])
      stop.abort()
      expect((await running).status).toBe('aborted')
      await until('the cancelled cell\'s children are gone', async () => await sleepers(notebook) === 1)
      expect(await notebook.execute('1 + 1')).toMatchObject({ result: '2' })
      expect(await sleepers(notebook)).toBe(1)
    },
  },
  {
    title: 'cancels a cell that waits for a child in synchronous code, and keeps the namespace',
    why: 'execSync of a command that never ends need not cost the engine',
    needs: [],
    async run({ engine }) {
      const notebook = engine({ abortGraceMs: 10_000 })
      await notebook.execute(`${prepare}; let kept = 1`)
      const stop = new AbortController()
      const running = notebook.execute('execSync("sleep 55555"); kept = 2', { signal: stop.signal })
      await until('the child runs', async () => await sleepers(notebook) === 1)
      stop.abort()
      expect((await running).status).toBe('aborted')
      expect(await notebook.execute('kept')).toMatchObject({ status: 'ok', result: '1' })
    },
  },
  {
    title: 'lets a cancelled cell start no process and print nothing more',
    why: 'what was cancelled must not act any more',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute(prepare)
      const stop = new AbortController()
      const running = notebook.execute(`
        globalThis.refusals = []
        console.log('begun')
        await new Promise(resolve => setTimeout(resolve, 300))
        for (const start of [() => spawn('echo', ['spawned'], { stdio: 'inherit' }), () => execSync('echo waited', { stdio: 'inherit' })]) {
          try { start(); refusals.push('started') } catch (error) { refusals.push(error.message) }
        }
        process.stdout.write('after')`, { signal: stop.signal, onStream: () => { stop.abort() } })
      expect(await running).toMatchObject({ status: 'aborted', stdout: 'begun\n' })
      const next = await notebook.execute('await new Promise(resolve => setTimeout(resolve, 600)); refusals', { json: true })
      expect(next).toMatchObject({ stdout: '', late: [] })
      expect(next.value).toEqual(['cell 2 was cancelled: it can no longer start a process', 'cell 2 was cancelled: it can no longer start a process'])
    },
  },
  {
    title: 'leaves no process behind when it is killed, whatever its cells have started',
    why: 'a machine full of orphans is the price nobody agreed to',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute(`${prepare}; ${Object.values(STARTS).join(';')}; spawn("env", ["-i", "setsid", "sleep", "55555"], { stdio: "ignore" })`)
      await until('the children run', async () => await sleepers(notebook) >= Object.keys(STARTS).length + 1)
      const guest = notebook.guestPid ?? undefined
      notebook.kill()
      expect(await notebook.remains()).toEqual([])
      expect(await census({ tag: notebook.processTag, guest })).toEqual([])
    },
  },
]
export default cases
