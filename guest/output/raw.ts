import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { format as formatted } from 'node:util'
import { currentCell } from '../context.ts'
import type { Channel } from '../protocol.ts'
import { installOwnPaths, openedChannel, ownDescriptor } from './own-paths.ts'

type Fn = (this: unknown, ...args: unknown[]) => unknown
type Print = (channel: Channel, text: string | Uint8Array) => void

const { apply, defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect
const { fstatSync } = fs
const { from } = Buffer
const { isView } = ArrayBuffer
const { isArray } = Array
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
  const wrap = (name: string, wrapped: (native: Fn) => Fn, holder = builtin): void => {
    const native = holder[name] as Fn
    const method = wrapped(native)
    // With what `util.promisify` reads, so that it answers what it would without the guest.
    for (const key of ownKeys(native)) if (key !== 'prototype') defineProperty(method, key, getOwnPropertyDescriptor(native, key) as PropertyDescriptor)
    holder[name] = method
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
  wrap('writevSync', native => function (this: unknown, ...args) {
    const taken = joined(args[0], args[1])
    return taken === undefined ? apply(native, this, args) : printAll(print, taken)
  })
  wrap('writev', native => function (this: unknown, ...args) {
    const done = args[args.length - 1]
    const taken = typeof done === 'function' ? joined(args[0], args[1]) : undefined
    if (taken === undefined) return apply(native, this, args)
    nextTick(done as Fn, null, printAll(print, taken), args[1])
    return undefined
  })
  for (const name of ['writeFile', 'appendFile']) {
    const given = (args: readonly unknown[]): Taken | undefined => {
      const channel = channelOf(ownDescriptor(args[0]) ?? args[0])
      const text = channel === undefined ? undefined : chosen(args[1], undefined, encodingOf(args[2]))
      return channel === undefined || text === undefined ? undefined : { channel, pieces: [text] }
    }
    wrap(`${name}Sync`, native => function (this: unknown, ...args) {
      const taken = given(args)
      if (taken === undefined) return apply(native, this, args)
      printAll(print, taken)
      return undefined
    })
    wrap(name, native => function (this: unknown, ...args) {
      const done = args[args.length - 1]
      const taken = typeof done === 'function' ? given(args) : undefined
      if (taken === undefined) return apply(native, this, args)
      printAll(print, taken)
      nextTick(done as Fn, null)
      return undefined
    })
    wrap(name, native => async function (this: unknown, ...args) {
      const taken = given(args)
      if (taken === undefined) return await apply(native, this, args)
      printAll(print, taken)
      return undefined
    }, fs.promises as unknown as Record<string, Fn>)
  }
  installOwnPaths(wrap)
  syncBuiltinESMExports()
  // node's words for itself, straight to fd 2.
  const { _rawDebug: native } = process as unknown as { _rawDebug?: Fn }
  if (native !== undefined && process.versions.bun === undefined) {
    (process as unknown as { _rawDebug: Fn })._rawDebug = (...args) => {
      if (channelOf(2) === undefined) return apply(native, process, args)
      return print('stderr', `${formatted(...args)}\n`)
    }
  }
}

/** What a write by number to one of the guest's own descriptors brings. */
interface Taken { readonly channel: Channel; readonly pieces: readonly Uint8Array[] }

function printAll(print: Print, { channel, pieces }: Taken): number {
  let total = 0
  for (let i = 0; i < pieces.length; i++) {
    print(channel, pieces[i] as Uint8Array)
    total += (pieces[i] as Uint8Array).length
  }
  return total
}

/** The pieces of a gathered write; undefined when it is not for the guest's own descriptors, or only the runtime can say what is wrong with it. */
function joined(fd: unknown, views: unknown): Taken | undefined {
  const channel = channelOf(fd)
  if (channel === undefined || !isArray(views)) return undefined
  const pieces: Uint8Array[] = []
  for (let i = 0; i < views.length; i++) {
    const view: unknown = views[i]
    if (!isView(view)) return undefined
    pieces[i] = new Bytes(view.buffer, view.byteOffset, view.byteLength)
  }
  return { channel, pieces }
}

const encodingOf = (options: unknown): unknown => typeof options === 'object' && options !== null ? (options as { encoding?: unknown }).encoding : options

/** The channel behind a descriptor, when a cell writes to it and it is still the guest's own. */
function channelOf(fd: unknown): Channel | undefined {
  const channel = openedChannel(fd)
  if (channel !== undefined) return channel
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
