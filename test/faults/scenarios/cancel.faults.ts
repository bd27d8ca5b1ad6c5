import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { pause, until } from '../../support/engine.ts'
import { type Scenarios, stillWorks } from '../fault.ts'

/** Far above what a cancel takes, far below what the cell would. */
const SOON_MS = 2_500

async function timed<T>(work: Promise<T>): Promise<readonly [T, number]> {
  const from = performance.now()
  return [await work, performance.now() - from]
}

export default {
  async 'CA-08'({ engine, folder }) {
    const notebook = engine({ abortGraceMs: 30_000, cwd: folder() })
    await notebook.execute('let wrote = "nothing"; const fs = require("fs"); const { spawn } = require("child_process")')
    for (let round = 0; round < 3; round++) {
      const stop = new AbortController()
      let said = ''
      const waiting = notebook.execute('const child = spawn("sleep", ["30"]); console.log(child.pid); await new Promise(done => child.on("exit", done)); wrote = "after"; fs.writeFileSync("wrote", "")', { signal: stop.signal, onStream: text => { said += text } })
      await until('the child is there', () => said.includes('\n'))
      const child = Number(said)
      const guest = notebook.guestPid as number
      process.kill(guest, 'SIGSTOP')
      stop.abort()
      await pause(300)
      process.kill(guest, 'SIGCONT')
      expect((await waiting).status).toBe('aborted')
      await until('the child is gone', () => !existsSync(`/proc/${child}`))
      expect(await notebook.execute('[wrote, fs.existsSync("wrote")].join()')).toMatchObject({ status: 'ok', result: '\'nothing,false\'' })
    }
  },

  async 'CA-01'({ engine, folder }) {
    const files: string[] = []
    for (const ms of [1, 5, 20, 50, 100]) {
      const file = join(folder(), 'written')
      files.push(file)
      const [result, took] = await timed(engine().execute(`await new Promise(r => setTimeout(r, 3000)); require('fs').writeFileSync(${JSON.stringify(file)}, 'x')`, { signal: AbortSignal.timeout(ms) }))
      expect(result.status).toBe('aborted')
      expect(took).toBeLessThan(SOON_MS)
    }
    await pause(3_300)
    expect(files.filter(file => existsSync(file))).toEqual([])
  },

  async 'CA-02'({ engine, folder }) {
    const notebook = engine({ abortGraceMs: 100, pingTimeoutMs: 3_000 })
    const file = join(folder(), 'started')
    await notebook.start()
    expect(await notebook.execute('const until = Date.now() + 1500; while (Date.now() < until) {}', { signal: AbortSignal.timeout(50) })).toMatchObject({ status: 'aborted' })
    expect(notebook.isWedged).toBe(true)
    const [result, took] = await timed(notebook.execute(`require('fs').writeFileSync(${JSON.stringify(file)}, 'x')`, { signal: AbortSignal.timeout(100) }))
    expect(result.status).toBe('aborted')
    expect(took).toBeLessThan(1_000)
    await stillWorks(notebook)
    expect(existsSync(file)).toBe(false)
  },

  async 'CA-03'({ engine }) {
    const notebook = engine()
    await notebook.execute('globalThis.ran = []')
    const stop = new AbortController()
    const settled: number[] = []
    const calls = [0, 1, 2, 3, 4].map(i => notebook
      .execute(`ran.push(${i}); ${i === 0 ? 'await new Promise(r => setTimeout(r, 1000))' : ''}`, i === 2 ? { signal: stop.signal } : {})
      .then(result => { settled.push(i); return result.status }))
    await pause(100)
    stop.abort()
    expect(await Promise.all(calls)).toEqual(['ok', 'ok', 'aborted', 'ok', 'ok'])
    expect(settled).toEqual([2, 0, 1, 3, 4])
    expect((await notebook.execute('ran', { json: true })).value).toEqual([0, 1, 3, 4])
  },

  async 'CA-05'({ engine, folder }) {
    const notebook = engine({ snapshot: { path: join(folder(), 'state') } })
    await notebook.execute('let name = "old"; let gone = "still here"; const setName = value => { name = value }; const list = [1]; globalThis.shared = 1')
    const continuation = `
      globalThis.refused = []
      const attempt = async (what, work) => { try { await work(); refused.push(what + ': done') } catch (error) { refused.push(what + ': refused') } }
      await new Promise(r => setTimeout(r, 400))
      await attempt('assign', () => { name = 'new' })
      await attempt('declare', () => { fresh = 1 })
      await attempt('forget', () => rlm.forget('gone'))
      await attempt('older closure', () => setName('through the closure'))
      await attempt('eval', () => { (0, eval)('1'); eval('name = "by eval"') })
      await attempt('interior', () => { list.push(2) })
      await attempt('global', () => { globalThis.shared = 2 })`
    expect((await notebook.execute(continuation, { signal: AbortSignal.timeout(150) })).status).toBe('aborted')
    const { value } = await notebook.execute('await new Promise(r => setTimeout(r, 700)); [name, gone, typeof fresh, list.length, shared, refused]', { json: true })
    expect(value).toEqual(['old', 'still here', 'undefined', 2, 2, [
      'assign: refused', 'declare: refused', 'forget: refused', 'older closure: refused', 'eval: refused', 'interior: done', 'global: done']])
    expect((await notebook.listNamespaceNames()).map(({ name }) => name)).not.toContain('fresh')
  },

  async 'CA-06'({ engine }) {
    const notebook = engine()
    await notebook.start()
    const streamed: string[] = []
    const noisy = notebook.execute(`
      const { spawn } = await import('node:child_process')
      const { Worker } = await import('node:worker_threads')
      spawn('sh', ['-c', 'for i in $(seq 100); do echo child; sleep 0.02; done'], { stdio: 'inherit' })
      new Worker('setInterval(() => console.log("worker"), 20)', { eval: true })
      for (let i = 0; i < 100; i++) { console.log('console'); process.stdout.write('write\\n'); await new Promise(r => setTimeout(r, 20)) }`,
    { signal: AbortSignal.timeout(900), onStream: text => { streamed.push(text) } })
    const result = await noisy
    expect(result.status).toBe('aborted')
    expect(result.stdout).toContain('console')
    const before = streamed.length
    const other = await notebook.execute('await new Promise(r => setTimeout(r, 1200)); "quiet"')
    expect(other).toMatchObject({ status: 'ok', result: '\'quiet\'', stdout: '', stderr: '' })
    expect(streamed.length).toBe(before)
    expect((await notebook.execute('1')).stdout).toBe('')
  },

  async 'CA-07'({ engine, supervisor }) {
    const notebook = engine({ abortGraceMs: 150, pingTimeoutMs: 300 })
    await notebook.start()
    expect((await notebook.execute('while (true) {}', { signal: AbortSignal.timeout(100) })).status).toBe('aborted')
    await expect(notebook.execute('1')).rejects.toMatchObject({ code: 'ENGINE_BUSY', name: 'EngineBusyError' })
    notebook.kill()
    await expect(notebook.execute('1')).rejects.toMatchObject({ code: 'ENGINE_DEAD' })
    const revived = supervisor({ abortGraceMs: 150, pingTimeoutMs: 300 })
    await revived.start()
    expect((await revived.execute('for (;;) {}', { signal: AbortSignal.timeout(100) })).status).toBe('aborted')
    const next = await revived.execute('1 + 1')
    expect(next).toMatchObject({ status: 'ok', result: '2' })
    expect(next.notices.join()).toContain('cannot be interrupted')
  },
} satisfies Scenarios
