import { currentCell } from '../context.ts'
import type { Channel } from '../protocol.ts'
import { ownDescriptor } from './own-paths.ts'

type Print = (channel: Channel, text: string | Uint8Array) => void
interface Body { arrayBuffer(): Promise<ArrayBuffer> }
interface BunApi { file(path: unknown, options?: unknown): object; readonly stdout: object; readonly stderr: object; write(to: unknown, data: unknown, ...rest: unknown[]): Promise<number> }

const { apply, defineProperty } = Reflect
const { from } = Buffer
const { get, set } = WeakMap.prototype
const { isView } = ArrayBuffer
const Bytes = Uint8Array

/** Gives a cell what it writes through `Bun.stdout`, `Bun.stderr` and their writers, which bun writes past process.stdout. */
export function installBunFiles(print: Print): void {
  const bun = (globalThis as unknown as { Bun: BunApi }).Bun
  const { write: native, file: open } = bun
  const channels = new WeakMap<object, Channel>()
  const channelOf = (to: unknown): Channel | undefined => currentCell() === undefined ? undefined : named(ownDescriptor(to)) ?? apply(get, channels, [to]) as Channel | undefined
  const say = (channel: Channel, data: unknown): number => {
    const bytes = bytesOf(data)
    print(channel, bytes)
    return bytes.length
  }
  bun.write = async function write(to, data, ...rest) {
    const channel = channelOf(to)
    if (channel === undefined) return apply(native, bun, [to, data, ...rest]) as Promise<number>
    return say(channel, isBody(data) ? await data.arrayBuffer() : data)
  }
  const adopt = (file: object, channel: Channel): object => {
    apply(set, channels, [file, channel])
    put(file, 'write', (data: unknown) => bun.write(file, data))
    const { writer } = file as { writer: (...args: unknown[]) => unknown }
    put(file, 'writer', (...args: unknown[]) => currentCell() === undefined ? apply(writer, file, args) : sink(data => say(channel, data)))
    return file
  }
  adopt(bun.stdout, 'stdout')
  adopt(bun.stderr, 'stderr')
  bun.file = function file(path, ...rest) {
    const made = apply(open, bun, [path, ...rest]) as object
    const channel = named(ownDescriptor(path) ?? path)
    return channel === undefined ? made : adopt(made, channel)
  }
}

const named = (fd: unknown): Channel | undefined => fd === 1 ? 'stdout' : fd === 2 ? 'stderr' : undefined

/** What `BunFile.writer()` answers, over a function: it holds nothing back. */
function sink(say: (data: unknown) => number): object {
  let total = 0
  return {
    write: (data: unknown) => { const size = say(data); total += size; return size },
    flush: () => 0, end: () => total, start: () => {}, ref: () => {}, unref: () => {},
  }
}

const isBody = (data: unknown): data is Body => typeof data === 'object' && data !== null && !isView(data) && typeof (data as Partial<Body>).arrayBuffer === 'function'

function bytesOf(data: unknown): Uint8Array {
  if (typeof data === 'string') return from(data)
  return isView(data) ? new Bytes(data.buffer, data.byteOffset, data.byteLength) : new Bytes(data as ArrayBuffer)
}

function put(holder: object, name: string, value: unknown): void {
  try { defineProperty(holder, name, { value, writable: true, configurable: true }) } catch { /* this version has it fixed: the bytes are counted instead */ }
}
