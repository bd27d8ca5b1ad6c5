import { ChildProcess } from 'node:child_process'
import type { CellContext } from '../context.ts'
import type { Channel } from '../protocol.ts'
import type { Child } from './children.ts'
import { wrapExecStdin } from './exec-stdin.ts'
import { pump } from './pump.ts'
import type { Spawning } from './spawning.ts'
import { claimStdio } from './stdio.ts'

/** The parts of bun's API this module wraps. */
interface Bun { spawn: Spawn; spawnSync: Spawn }
type Spawn = (options: Options) => Subprocess
type OnExit = (this: unknown, ...args: readonly unknown[]) => void
interface Options {
  readonly cmd?: readonly string[]
  readonly stdio?: readonly unknown[]
  readonly stdin?: unknown
  readonly stdout?: unknown
  readonly stderr?: unknown
  readonly env?: Record<string, string | undefined>
  readonly detached?: boolean
  readonly terminal?: unknown
  readonly onExit?: OnExit | null
}
interface Subprocess { readonly pid: number; readonly stdout: unknown; readonly stderr: unknown; readonly exited: Promise<number> }

const { apply, defineProperty } = Reflect
const NativePromise = Promise
const { then } = Promise.prototype

/** Wraps `Bun.spawn` and `Bun.spawnSync`, on which its `node:child_process` is built. */
export function wrapBun(spawning: Spawning): void {
  const bun = (globalThis as unknown as { Bun: Bun }).Bun
  const { spawn, spawnSync } = bun
  wrapExecStdin(ChildProcess.prototype as unknown as Parameters<typeof wrapExecStdin>[0])
  bun.spawn = named('spawn', (...args) => start(spawning, spawn, asOptions(args)))
  bun.spawnSync = named('spawnSync', (...args) => {
    const cell = spawning.starter()
    const options = asOptions(args)
    return spawning.wait(cell, slotsOf(options, 'pipe'), stdio => spawnSync(withStdio(options, stdio, spawning.env(cell, options.env))))
  })
}

/** `Bun.spawn(cmd, options)` and `Bun.spawn({ cmd })` alike. */
function asOptions([first, second]: readonly unknown[]): Options {
  return Array.isArray(first) ? { ...second as Options | undefined, cmd: first as string[] } : { ...first as Options }
}

function slotsOf({ stdio, stdin, stdout, stderr }: Options, stderrDefault: string): readonly unknown[] {
  const [zero = stdin ?? null, one = stdout ?? 'pipe', two = stderr ?? stderrDefault, ...more] = stdio ?? []
  return [zero, one, two, ...more]
}

/** `stdio` wins over the three single options, which bun would read otherwise. */
function withStdio(options: Options, stdio: readonly unknown[], env: Record<string, string | undefined>): Options {
  return { ...options, stdin: undefined, stdout: undefined, stderr: undefined, stdio, env }
}

function start(spawning: Spawning, native: Spawn, options: Options): Subprocess {
  const cell = spawning.starter()
  const number = cell?.number ?? 0
  const env = spawning.env(cell, options.env)
  if (options.terminal !== undefined) return native({ ...options, env })
  const { slots, owned } = claimStdio(slotsOf(options, 'inherit'), () => 'pipe')
  const started: { settle?: () => Promise<void> | undefined; child?: Child } = {}
  const told = withResolver()
  const onExit: OnExit = function (...args) {
    const tell = (): void => {
      if (started.child !== undefined) spawning.children.remove(number, started.child)
      told.resolve()
      if (typeof options.onExit === 'function') apply(options.onExit, this, args)
    }
    // What the child wrote is printed before the cell hears of its exit.
    const work = started.settle?.()
    if (work === undefined) tell()
    else void apply(then, work, [tell])
  }
  const process = native({ ...withStdio(options, slots, env), onExit })
  started.settle = adopt(spawning, cell, process, owned, told.promise)
  started.child = { pid: process.pid, detached: options.detached === true, drain: started.settle }
  spawning.children.add(number, started.child)
  return process
}

/** Reads the owned pipes of a process and makes them look as 'inherit' does: no stream, output before exit. */
function adopt(spawning: Spawning, cell: CellContext | undefined, process: Subprocess, owned: readonly (Channel | undefined)[], told: Promise<void>): () => Promise<void> | undefined {
  const pumps = owned.flatMap((channel, slot) => {
    if (channel === undefined || (slot !== 1 && slot !== 2)) return []
    const name = slot === 1 ? 'stdout' : 'stderr'
    const stream = process[name] as ReadableStream<Uint8Array>
    defineProperty(process, name, { value: undefined, configurable: true })
    if (slot === 1) defineProperty(process, 'readable', { value: undefined, configurable: true })
    return [pump(stream, spawning.sink(cell, channel))]
  })
  if (pumps.length === 0) return () => undefined
  const settle = async (): Promise<void> => { for (const each of pumps) await each.settled() }
  const exited: unknown = apply(then, process.exited, [async (code: number) => {
    await told
    return code
  }])
  defineProperty(process, 'exited', { value: exited, configurable: true })
  return settle
}

/** A promise and what resolves it, made of the promise the runtime started with. */
function withResolver(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new NativePromise<void>(done => { resolve = done })
  return { promise, resolve }
}

function named(name: string, run: (...args: readonly unknown[]) => Subprocess): Spawn {
  defineProperty(run, 'name', { value: name })
  return run as Spawn
}
