import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Type } from '@sinclair/typebox'
import { expect } from 'vitest'
import { definePlugin } from '../../../kernel/index.ts'
import { until } from '../../support/engine.ts'
import { type Gate } from '../gate.ts'

const echo = definePlugin({ name: 'echo', host: host => { host.method({ handle: 'echo', name: 'back', params: Type.Object({ x: Type.Number() }), run: ({ x }) => x }) } })

const descriptors = (): number => readdirSync('/proc/self/fd').length
const leftFiles = (): number => readdirSync(tmpdir()).filter(name => name.startsWith('pi-rlm-scratch-') && name.includes(`-${process.pid}-`)).length
const timers = (): number => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
const memory = (): number => { globalThis.gc?.(); return process.memoryUsage().rss }

export default {
  name: 'soak',
  bar: 'ten thousand cells with restarts, cancels and calls leave the host as it was',
  rounds: { full: 10_000, short: 300 },
  guards: [
    { takenOut: 'the end of a guest\'s pipes (a timer for each guest is left instead)', edits: [{ file: 'kernel/guest-process.ts', find: '    for (const stream of [this.child.stdout, this.child.stderr]) stream?.destroy()\n', replace: '    ;(globalThis as { kept?: unknown[] }).kept = [...(globalThis as { kept?: unknown[] }).kept ?? [], setInterval(() => {}, 1e6)]\n' }] },
  ],
  async run({ supervisor, rounds, done, figure }) {
    const notebook = supervisor({ plugins: [echo()] })
    await notebook.execute('let count = 0')
    for (let i = 0; i < 100; i++) await notebook.execute('count++')
    const before = { rss: memory(), fds: descriptors(), timers: timers(), files: leftFiles(), listeners: process.listenerCount('exit') }
    const restarts = Math.max(3, Math.floor(rounds / 200))
    for (let i = 0; i < rounds; i++) {
      if (i % Math.floor(rounds / restarts) === 1) notebook.restart()
      else if (i % 20 === 7) await notebook.execute('await new Promise(() => {})', { signal: AbortSignal.timeout(3) })
      else if (i % 10 === 3) expect((await notebook.execute(`await echo.back({ x: ${i} })`)).result).toBe(`${i}`)
      else expect((await notebook.execute(`let item = { text: "x".repeat(1000), i: ${i} }; console.log(item.i); ${i}`)).result).toBe(`${i}`)
      done()
    }
    // The ends of the last guests are still being looked after in the background.
    await until('the descriptors of ended guests are closed', () => descriptors() <= before.fds + 2, 15_000)
    const after = { rss: memory(), fds: descriptors(), timers: timers(), files: leftFiles(), listeners: process.listenerCount('exit') }
    expect(after.rss - before.rss).toBeLessThan(32 << 20)
    expect(after.fds).toBeLessThanOrEqual(before.fds + 2)
    expect(after.timers).toBeLessThanOrEqual(before.timers + 2)
    expect(after.listeners).toBe(before.listeners)
    expect(after.files).toBeLessThanOrEqual(before.files + 2)
    figure(`+${((after.rss - before.rss) / 1e6).toFixed(0)} MB, ${after.fds - before.fds} descriptors, ${after.timers - before.timers} timers, ${after.files - before.files} files`)
  },
} satisfies Gate
