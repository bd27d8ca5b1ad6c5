import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import { census } from '../../../kernel/processes.ts'
import { pause } from '../../support/engine.ts'
import type { Gate } from '../gate.ts'

/** What the guest does when its host is killed. */
const STATES: Readonly<Record<string, string>> = {
  idle: '0',
  awaiting: 'await new Promise(() => {})',
  spinning: 'while (true) {}',
  'a microtask storm': 'const storm = () => queueMicrotask(storm); storm()',
  execSync: 'execSync("sleep 55555")',
}
const CHILDREN = 'const { spawn, execSync } = await import("node:child_process"); spawn("sleep", ["55555"]); spawn("sh", ["-c", "sleep 55555 & sleep 55555"], { stdio: "inherit" }); spawn("sleep", ["55555"], { detached: true, stdio: "ignore" }).unref()'
const GONE_MS = 2_000
/** The bar is for a machine that is not busy with other tests. */
const PATIENCE = 5

/** A host of its own: starts an engine, its children, then the cell of the state, and names the guest. */
const host = (preset: string, cell: string): string => `
  import { EngineManager } from ${JSON.stringify(new URL('../../../dist/kernel/index.js', import.meta.url).href)}
  const { preset } = await import(${JSON.stringify(new URL(`../../../dist/presets/${preset}.js`, import.meta.url).href)})
  const engine = new EngineManager({ preset })
  await engine.execute(${JSON.stringify(CHILDREN)})
  engine.execute(${JSON.stringify(cell)}).catch(() => {})
  console.log(JSON.stringify({ tag: engine.processTag, guest: engine.guestPid }))
  setInterval(() => {}, 1000)`

export default {
  name: 'host killed',
  bar: 'a host that is killed leaves no guest and no child of a cell behind, whatever the guest was doing',
  rounds: { full: 100, short: 5 },
  guards: [
    { takenOut: 'the watchdog', edits: [{ file: 'kernel/guest-process.ts', find: 'this.watch = watch({ tag, guest: this.pid })', replace: 'this.watch = { end: () => {} }' }] },
  ],
  async run({ preset, rounds, done, figure }) {
    let slowest = 0
    for (let round = 0; round < rounds; round++) {
      const [state, cell] = Object.entries(STATES)[round % Object.keys(STATES).length] as [string, string]
      const child = spawn(process.execPath, ['--input-type=module', '-e', host(preset.name, cell)], { stdio: ['ignore', 'pipe', 'inherit'] })
      slowest = Math.max(slowest, await killed(child, state))
      done()
    }
    figure(`all gone after ${slowest.toFixed(0)} ms at most`)
  },
} satisfies Gate

/** Kills the host once its guest is in the state; answers after how many milliseconds everything was gone. */
async function killed(child: ChildProcess, state: string): Promise<number> {
  const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line') as [string]
  const mark = JSON.parse(line) as { tag: string; guest: number }
  await pause(200)
  expect((await census(mark)).length, `${state}: processes before`).toBeGreaterThan(4)
  child.kill('SIGKILL')
  const since = performance.now()
  try {
    while ((await census(mark)).length > 0 && performance.now() - since < GONE_MS * PATIENCE) await pause(20)
    expect((await census(mark)).map(({ command, cell }) => `${command} of cell ${cell}`), `${state}: processes after`).toEqual([])
    return performance.now() - since
  } finally {
    for (const { pid } of await census(mark)) process.kill(pid, 'SIGKILL')
  }
}
