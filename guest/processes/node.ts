import * as childProcess from 'node:child_process'
import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { CellContext } from '../context.ts'
import { CELL_MARK } from '../protocol.ts'
import type { Child } from './children.ts'
import { wrapExecStdin } from './exec-stdin.ts'
import type { Sink } from './sink.ts'
import type { Spawning } from './spawning.ts'
import { claimStdio, stdioList } from './stdio.ts'

/** What `ChildProcess.prototype.spawn` is given, and what it leaves on the child: the parts this module uses. */
interface SpawnOptions { readonly stdio?: unknown; readonly envPairs?: readonly string[]; readonly detached?: boolean }
interface Spawned { pid?: number; stdio: (Socket | null)[]; stdout: unknown; stderr: unknown; _closesNeeded: number }
interface SyncOptions { readonly stdio?: unknown; readonly env?: Record<string, string> }
interface Pipe { readonly socket: Socket; readonly sink: Sink }
type Fn = (...args: readonly unknown[]) => unknown

const { apply } = Reflect
const { readSync } = fs
const { on: onEvent, removeAllListeners } = EventEmitter.prototype
const { on: onStream } = Readable.prototype
const CHUNK = 65_536
const chunk = new Uint8Array(CHUNK)

/** Wraps node's `child_process`: all that runs beside the guest passes `ChildProcess.prototype.spawn`. */
export function wrapNode(spawning: Spawning): void {
  // The namespace of a builtin is read-only; its default export is the object behind it.
  const builtin = (childProcess as unknown as { default: Record<string, Fn> }).default
  wrapSpawn(spawning)
  wrapExecStdin(childProcess.ChildProcess.prototype as unknown as Parameters<typeof wrapExecStdin>[0])
  for (const name of ['spawnSync', 'execFileSync']) wrapSync(spawning, builtin, name, ([file, args, options]) =>
    Array.isArray(args) || args === undefined || args === null ? [[file, args], options] : [[file, []], args])
  wrapSync(spawning, builtin, 'execSync', ([command, options]) => [[command], options])
  syncBuiltinESMExports()
}

function wrapSpawn(spawning: Spawning): void {
  const prototype = childProcess.ChildProcess.prototype as unknown as { spawn: Fn }
  const native = prototype.spawn
  prototype.spawn = function spawn(this: Spawned, given) {
    const cell = spawning.starter()
    const options = given as SpawnOptions
    const { slots, owned } = claimStdio(stdioList(options.stdio ?? 'pipe'), () => 'pipe')
    // Not beside the guest's own mark: of two entries of one name the first counts.
    const envPairs = [...(options.envPairs ?? []).filter(pair => !pair.startsWith(`${CELL_MARK}=`)), `${CELL_MARK}=${spawning.mark(cell)}`]
    const status = apply(native, this, [{ ...options, stdio: slots, envPairs }])
    const pipes: Pipe[] = []
    owned.forEach((channel, slot) => {
      if (channel === undefined) return
      const socket = takeOver(this, slot)
      if (socket !== null) pipes.push({ socket, sink: spawning.sink(cell, channel) })
    })
    follow(spawning, cell, this, pipes, options.detached === true)
    return status
  }
}

/** Makes an owned pipe look to the cell as 'inherit' does: no stream, and no wait for its end. */
function takeOver(child: Spawned, slot: number): Socket | null {
  const socket = child.stdio[slot] ?? null
  child.stdio[slot] = null
  if (slot === 1) child.stdout = null
  if (slot === 2) child.stderr = null
  if (socket === null || child.pid === undefined || child.pid === 0) return null
  apply(removeAllListeners, socket, ['close'])
  child._closesNeeded--
  return socket
}

function follow(spawning: Spawning, cell: CellContext | undefined, process: Spawned, pipes: readonly Pipe[], detached: boolean): void {
  for (const { socket, sink } of pipes) {
    apply(onStream, socket, ['data', sink.write])
    apply(onStream, socket, ['end', sink.end])
    apply(onStream, socket, ['error', () => {}])
  }
  const { pid } = process
  if (pid === undefined || pid === 0) return
  const child: Child = { pid, detached, drain: () => { for (const pipe of pipes) readNow(pipe) } }
  const number = cell?.number ?? 0
  spawning.children.add(number, child)
  // The first listener: what the child wrote is printed before the cell hears of its exit.
  apply(onEvent, process, ['exit', () => {
    spawning.children.remove(number, child)
    void child.drain()
  }])
}

/** Reads what is in the pipe at this moment, past the event loop. */
function readNow({ socket, sink }: Pipe): void {
  const fd = (socket as unknown as { _handle?: { fd?: number } | null })._handle?.fd
  if (fd === undefined || fd < 0) return
  try {
    for (let count = 0; (count = readSync(fd, chunk, 0, CHUNK, null)) > 0;) sink.write(chunk.subarray(0, count))
  } catch {
    // EAGAIN: empty for now.
  }
}

function wrapSync(spawning: Spawning, builtin: Record<string, Fn>, name: string, split: (args: readonly unknown[]) => [readonly unknown[], unknown]): void {
  const native = builtin[name] as Fn
  const wrapped = (...args: readonly unknown[]): unknown => {
    const [head, given] = split(args)
    if (given !== undefined && given !== null && typeof given !== 'object') return apply(native, undefined, args)
    const cell = spawning.starter()
    const options: SyncOptions = { ...given ?? {}, env: spawning.env(cell, (given as SyncOptions | undefined)?.env) as Record<string, string> }
    if (options.stdio === undefined || options.stdio === null) return apply(native, undefined, [...head, options])
    return spawning.wait(cell, stdioList(options.stdio), stdio => apply(native, undefined, [...head, { ...options, stdio }]))
  }
  Object.defineProperty(wrapped, 'name', { value: name })
  builtin[name] = wrapped
}
