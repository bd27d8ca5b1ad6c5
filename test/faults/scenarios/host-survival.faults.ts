import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { expect } from 'vitest'
import { definePlugin, definePreset, type Preset } from '../../../kernel/index.ts'
import { bun } from '../../../plugins/runtimes/bun.ts'
import { node } from '../../../plugins/runtimes/node.ts'
import { pause } from '../../support/engine.ts'
import { insidesOf, type Scenarios, stillWorks } from '../fault.ts'

const big = definePlugin({
  name: 'big-replies',
  host: host => { host.method({ handle: 'big', name: 'text', params: Type.Object({}), run: () => 'x'.repeat(4_000_000) }) },
})

/** The preset on another program. */
const onProgram = (preset: Preset, path: string): Preset =>
  definePreset({ ...preset, runtime: preset.runtime.name === 'bun' ? bun({ path }) : node({ path }) })

export default {
  async 'HS-08'({ engine }) {
    const broken = new Proxy({}, { get() { throw new Error('read') }, getPrototypeOf() { throw new Error('prototype') } })
    const late = definePlugin({ name: 'late-failure', host: () => Promise.reject(broken as Error) as unknown as undefined })
    const warnings: string[] = []
    const warned = (warning: Error): void => { warnings.push(warning.message) }
    process.on('warning', warned)
    const notebook = engine({ plugins: [late()] })
    const hostile: readonly unknown[] = [null, undefined, Symbol('s'), Object.create(null), { toString: 1 }, broken]
    for (const value of hostile) {
      const told: string[] = []
      for (const onStream of [() => { throw value }, () => Promise.reject(value as Error) as unknown as undefined]) {
        const result = await notebook.execute('console.log("said"); 1', { onStream })
        expect(result).toMatchObject({ status: 'ok', stdout: 'said\n', result: '1' })
        told.push(...result.notices)
      }
      // A promise may reject when its cell is over.
      told.push(...(await notebook.execute('2')).notices)
      expect(told.filter(line => line.includes('onStream'))).toHaveLength(2)
    }
    const stop = new AbortController()
    const calls = Array.from({ length: 50 }, () => notebook.execute('await new Promise(() => {})', { signal: stop.signal }))
    await pause(100)
    stop.abort()
    for (const call of calls) expect((await call).status).toBe('aborted')
    await stillWorks(notebook)
    process.off('warning', warned)
    expect(warnings.filter(line => line.includes('leak'))).toEqual([])
  },

  async 'HS-01'({ supervisor }) {
    const notebook = supervisor({ abortGraceMs: 100, pingTimeoutMs: 200 })
    await notebook.start()
    for (let round = 0; round < 3; round++) {
      const stop = AbortSignal.timeout(200)
      expect(await notebook.execute('while (true) {}', { signal: stop })).toMatchObject({ status: 'aborted' })
      const next = await notebook.execute('1 + 1')
      expect(next).toMatchObject({ status: 'ok', result: '2' })
      expect(next.notices.filter(line => line.includes('restarted'))).toHaveLength(1)
    }
  },

  async 'HS-02'({ supervisor }) {
    const notebook = supervisor({ plugins: [big()] })
    for (let round = 0; round < 4; round++) {
      await stillWorks(notebook)
      const pid = notebook.current?.guestPid as number
      const calls = notebook.execute('for (;;) await big.text({})')
      await pause(30 + round * 13)
      process.kill(pid, 'SIGKILL')
      await expect(calls).rejects.toMatchObject({ code: 'GUEST_DIED', message: expect.stringContaining('SIGKILL') as string })
    }
    await stillWorks(notebook)
  },

  async 'HS-03'({ engine }) {
    const notebook = engine()
    await notebook.execute('1')
    const before = process.memoryUsage().rss
    const flood = `
      const { writeSync } = await import('node:fs')
      const block = Buffer.alloc(1 << 20, 'y')
      for (let i = 0; i < 150; i++) for (let at = 0; at < block.length;) {
        try { at += writeSync(3, block, at) } catch (error) { if (error.code !== 'EAGAIN') throw error }
      }
      'through'`
    expect(await notebook.execute(flood)).toMatchObject({ status: 'ok', result: '\'through\'' })
    expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20)
    await stillWorks(notebook)
  },

  async 'HS-05'({ engine, folder }) {
    const notebook = engine({ snapshot: { path: join(folder(), 'state') } })
    expect(await notebook.execute('const big = new Uint8Array(420e6); const small = "kept"; small')).toMatchObject({ status: 'ok' })
    const report = await notebook.snapshotState()
    expect(report.saved).toContain('small')
    const named = report.failed.find(({ name }) => name === 'big')
    if (named === undefined) expect(report.saved).toContain('big')
    else expect(named.reason).not.toBe('')
    await stillWorks(notebook)
  },

  async 'HS-06'({ engine }) {
    const notebook = engine()
    const fail = (): never => { throw new Error('the view is broken') }
    const result = await notebook.execute('for (let i = 0; i < 20; i++) { console.log(i); await new Promise(r => setTimeout(r, 8)) }; "fine"', { onStream: fail })
    expect(result).toMatchObject({ status: 'ok', result: '\'fine\'', stdout: Array.from({ length: 20 }, (_, i) => `${i}\n`).join('') })
    expect(result.notices.filter(line => line.includes('the view is broken'))).toHaveLength(1)
  },

  async 'HS-07'({ preset, engine, folder }) {
    const place = folder()
    const program = (name: string, text: string): string => {
      const path = join(place, name)
      writeFileSync(path, text)
      chmodSync(path, 0o755)
      return path
    }
    mkdirSync(join(place, 'folder'))
    const programs = [join(place, 'nowhere'), join(place, 'folder'), program('exits', '#!/bin/sh\nexit 1\n'), program('silent', '#!/bin/sh\nexec sleep 60\n')]
    const messages: string[] = []
    for (const path of programs) {
      const notebook = engine({ preset: onProgram(preset, path), startTimeoutMs: 700 })
      const error = await notebook.execute('1').then(() => null, (reason: unknown) => reason as { code: string; message: string })
      expect(['RUNTIME_MISSING', 'START_FAILED']).toContain(error?.code)
      expect(error?.message).toContain(path)
      messages.push(error?.message.replace(path, '') ?? '')
      const pid = notebook.guestPid
      if (pid !== null) await expect.poll(() => { try { return process.kill(pid, 0) } catch { return false } }, { timeout: 5_000 }).toBe(false)
    }
    expect(new Set(messages).size).toBe(4)
    const good = engine()
    await stillWorks(good)
    expect(insidesOf(good).pid).toBeGreaterThan(0)
  },
} satisfies Scenarios
