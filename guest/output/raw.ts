import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { currentCell } from '../context.ts'
import type { Channel } from '../protocol.ts'

type Fn = (this: unknown, ...args: unknown[]) => unknown
type Print = (channel: Channel, text: string | Uint8Array) => void

const { apply, defineProperty } = Reflect
const { fstatSync } = fs
const { from } = Buffer
const { isView } = ArrayBuffer
const Bytes = Uint8Array
const nextTick = process.nextTick.bind(process)

/** What stands behind fd 1 and fd 2 at the start: a cell may close one and open a file in its place. */
const own = [1, 2].map(identity)

/**
 * Gives a cell what it writes to fd 1 and fd 2 by number, past process.stdout: there the bytes would be nobody's.
 * Native code that writes there is not seen.
 */
export function installRaw(print: Print): void {
  const builtin = fs as unknown as Record<string, Fn>
  const wrap = (name: string, wrapped: (native: Fn) => Fn): void => {
    const native = builtin[name] as Fn
    const method = wrapped(native)
    defineProperty(method, 'name', { value: name })
    builtin[name] = method
  }
  wrap('writeSync', native => function (this: unknown, ...args) {
    const channel = channelOf(args[0])
    const taken = channel === undefined ? undefined : chosen(args[1], args[2], args[3])
    if (channel === undefined || taken === undefined) return apply(native, this, args)
    print(channel, taken)
    return taken.length
  })
  wrap('write', native => function (this: unknown, ...args) {
    const channel = channelOf(args[0])
    const done = args[args.length - 1]
    const taken = channel === undefined || typeof done !== 'function' ? undefined : chosen(args[1], args[2], args[3])
    if (channel === undefined || taken === undefined) return apply(native, this, args)
    print(channel, taken)
    nextTick(done as Fn, null, taken.length, args[1])
    return undefined
  })
  for (const name of ['writeFileSync', 'appendFileSync']) {
    wrap(name, native => function (this: unknown, ...args) {
      const channel = channelOf(args[0])
      const taken = channel === undefined ? undefined : chosen(args[1], undefined, undefined)
      if (channel === undefined || taken === undefined) return apply(native, this, args)
      print(channel, taken)
      return undefined
    })
  }
  syncBuiltinESMExports()
}

/** The channel behind a descriptor, when a cell writes to it and it is still the guest's own. */
function channelOf(fd: unknown): Channel | undefined {
  if ((fd !== 1 && fd !== 2) || currentCell() === undefined || identity(fd) !== own[fd - 1]) return undefined
  return fd === 1 ? 'stdout' : 'stderr'
}

/** The bytes that a write of these arguments would take; undefined when only the runtime can say what is wrong with them. */
function chosen(data: unknown, offset: unknown, length: unknown): Uint8Array | undefined {
  if (typeof data === 'string') return from(data, typeof length === 'string' ? length as BufferEncoding : 'utf8')
  if (!isView(data)) return undefined
  const range = typeof offset === 'object' && offset !== null ? offset as { offset?: unknown; length?: unknown } : { offset, length }
  const start = typeof range.offset === 'number' ? range.offset : 0
  const size = typeof range.length === 'number' ? range.length : data.byteLength - start
  if (start < 0 || size < 0 || start + size > data.byteLength) return undefined
  return new Bytes(data.buffer, data.byteOffset + start, size)
}

function identity(fd: number): string | undefined {
  try {
    const { dev, ino } = fstatSync(fd)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
