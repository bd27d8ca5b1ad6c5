import { writeFileSync, chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { definePreset, type Preset } from '../../../kernel/index.ts'
import { census } from '../../../kernel/processes.ts'
import { bun } from '../../../plugins/runtimes/bun.ts'
import { node } from '../../../plugins/runtimes/node.ts'
import { pause, until } from '../../support/engine.ts'
import type { Scenarios } from '../fault.ts'

const dying = (preset: Preset, path: string): Preset => definePreset({ ...preset, runtime: preset.runtime.name === 'bun' ? bun({ path }) : node({ path }) })

async function timed<T>(work: Promise<T>): Promise<readonly [T, number]> {
  const from = performance.now()
  return [await work, performance.now() - from]
}

export default {
  async 'LI-02'({ preset, supervisor, folder }) {
    const path = join(folder(), 'guest')
    writeFileSync(path, '#!/bin/sh\necho "a broken runtime" >&2\nexit 1\n')
    chmodSync(path, 0o755)
    const broken = supervisor({ preset: dying(preset, path) })
    const failures = await Promise.all([1, 2, 3].map(() => broken.execute('1').then(() => '', (error: unknown) => `${(error as { code: string }).code}: ${(error as Error).message}`)))
    expect(failures.every(text => text.startsWith('RESTART_LIMIT'))).toBe(true)
    expect(failures[0]).toContain('3 times')
    expect(failures[0]).toContain('a broken runtime')
    writeFileSync(path, `#!/bin/sh\nexec ${await program(preset)} "$@"\n`)
    broken.restart()
    expect(await broken.execute('1 + 1')).toMatchObject({ status: 'ok', result: '2' })
  },

  async 'LI-03'({ engine }) {
    const wedged = engine({ abortGraceMs: 100 })
    await wedged.start()
    expect((await wedged.execute('for (;;) {}', { signal: AbortSignal.timeout(50) })).status).toBe('aborted')
    const [, took] = await timed(Promise.all([wedged.dispose(), wedged.dispose()]))
    expect(took).toBeLessThan(8_000)
    await wedged.dispose()
    const calls = await Promise.allSettled(Array.from({ length: 100 }, () => wedged.execute('1')))
    expect(calls.every(call => call.status === 'rejected' && (call.reason as { code: string }).code === 'ENGINE_DEAD')).toBe(true)
    const starting = engine()
    const first = starting.execute('1').then(() => 'ran', (error: unknown) => (error as { code: string }).code)
    await starting.dispose()
    expect(['ran', 'ENGINE_DEAD', 'START_FAILED']).toContain(await first)
    await pause(200)
    expect(starting.isRunning).toBe(false)
  },

  async 'LI-05'({ engine }) {
    const notebook = engine()
    const started = await notebook.execute(`
      const { spawn, exec } = require('child_process')
      spawn('sleep', ['300']); spawn('sleep', ['301'], { stdio: 'inherit' }); spawn('sleep', ['302'], { detached: true, stdio: 'ignore' })
      spawn('sh', ['-c', 'sleep 303 & sleep 304']); exec('sleep 305'); spawn('sh', ['-c', '(setsid sleep 306 &) ; exit 0'])
      await new Promise(r => setTimeout(r, 300)); 'started'`)
    expect(started).toMatchObject({ status: 'ok' })
    const mark = { tag: notebook.processTag, guest: notebook.guestPid ?? undefined }
    expect((await census(mark)).length).toBeGreaterThan(6)
    notebook.kill()
    await until('everything the engine started is gone', async () => (await census(mark)).length === 0, 15_000)
  },

  async 'LI-07'({ engine }) {
    const notebook = engine({ pingTimeoutMs: 700, startTimeoutMs: 5_000 })
    await notebook.start()
    const pid = notebook.guestPid as number
    process.kill(pid, 'SIGSTOP')
    const waiting = notebook.execute('Date.now = () => 0; "after the stop"', { timeoutMs: 20_000 })
    await pause(1_200)
    process.kill(pid, 'SIGCONT')
    const result = await waiting
    expect(result).toMatchObject({ status: 'ok', result: '\'after the stop\'' })
    expect(result.durationMs).toBeGreaterThanOrEqual(0)
    const next = await notebook.execute('1 + 1')
    expect(next).toMatchObject({ status: 'ok', result: '2' })
    expect(next.durationMs).toBeGreaterThanOrEqual(0)
    expect(notebook.isWedged).toBe(false)
  },

  async 'LI-08'({ engine }) {
    const child = 'require("child_process").spawn("sh", ["-c", "trap : TERM; while :; do sleep 1; done"], { stdio: "ignore" })'
    for (const [name, load, options] of [['A', 'const { Worker: A } = require("worker_threads")', ''], ['B', 'const { Worker: B } = await import("node:worker_threads")', ''], ['C', 'import { Worker as C } from "node:worker_threads"', ', env: { PATH: process.env.PATH }']]) {
      const notebook = engine()
      const stop = new AbortController()
      const running = notebook.execute(`${load}; new ${name}(${JSON.stringify(child)}, { eval: true${options} }); await new Promise(() => {})`, { signal: stop.signal, cellId: 'starter' })
      const mark = { tag: notebook.processTag }
      await until(`the child of ${name} is marked`, async () => (await census(mark)).some(({ cell, command }) => cell === 1 && /sh|sleep/.test(command)))
      stop.abort()
      expect((await running).status).toBe('aborted')
      await until(`the child of ${name} is gone`, async () => (await census(mark)).every(({ cell }) => cell !== 1))
    }
  },
} satisfies Scenarios

async function program(preset: Preset): Promise<string> {
  return (await preset.runtime.plan({ cwd: process.cwd(), env: process.env as Record<string, string> })).command
}
