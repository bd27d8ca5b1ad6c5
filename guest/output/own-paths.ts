import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { currentCell } from '../context.ts'
import type { Channel } from '../protocol.ts'

type Fn = (this: unknown, ...args: unknown[]) => unknown

const { apply } = Reflect
const { isBuffer } = Buffer
const { toString: textOf } = Buffer.prototype as { toString: (this: Uint8Array) => string }
const { assign, create } = Object
const { isView } = ArrayBuffer
const UrlClass = URL
const { pid } = process

/** The names of the guest's own output, on a list of its own, where nothing is inherited. */
const named = create(null) as Record<string, 1 | 2 | undefined>
for (const fd of [1, 2] as const) {
  named[fd === 1 ? '/dev/stdout' : '/dev/stderr'] = fd
  for (const folder of ['/dev/fd', '/proc/self/fd', `/proc/${pid}/fd`, '/proc/thread-self/fd']) named[`${folder}/${fd}`] = fd
}

/** The descriptor a path of a cell stands for, such as /dev/stdout: it is a socket, which no path opens. */
export function ownDescriptor(path: unknown): 1 | 2 | undefined {
  const text = typeof path === 'string' ? path : pathText(path)
  return text === undefined || currentCell() === undefined ? undefined : named[text]
}

function pathText(path: unknown): string | undefined {
  try {
    if (isBuffer(path)) return apply(textOf, path, [])
    return path instanceof UrlClass ? fileURLToPath(path) : undefined
  } catch {
    return undefined
  }
}

/** Descriptors that cells opened by such a path → the channel they stand for. */
const opened = create(null) as Record<number, Channel | undefined>

/** The channel behind a descriptor that a cell opened by the path of the guest's own output. */
export const openedChannel = (fd: unknown): Channel | undefined => typeof fd === 'number' ? opened[fd] : undefined

interface Handle { readonly fd: number; close(): Promise<void>; [method: string]: unknown }

/** A handle whose writes are those of its descriptor, which are seen; the runtimes' own go past them. */
function ownHandle(handle: Handle): Handle {
  const { fd, close } = handle
  const put = (data: unknown, ...rest: unknown[]): number => apply(fs.writeSync as Fn, fs, [fd, data, ...rest]) as number
  const all = async (data: unknown, options?: unknown): Promise<void> => {
    if (typeof data === 'string') put(data, null, typeof options === 'string' ? options : (options as { encoding?: string } | undefined)?.encoding)
    else if (isView(data)) put(data)
    else for await (const piece of data as AsyncIterable<unknown>) put(piece)
  }
  return assign(handle, {
    write: (data: unknown, ...rest: unknown[]) => later(() => ({ bytesWritten: put(data, ...rest), buffer: data })),
    writev: (views: unknown) => later(() => ({ bytesWritten: apply(fs.writevSync as Fn, fs, [fd, views]), buffers: views })),
    writeFile: all, appendFile: all,
    close: () => { forget(fd); return apply(close, handle, []) },
  })
}

const later = <T>(work: () => T): Promise<T> => new Promise(resolve => { resolve(work()) })

function note(fd: unknown, own: 1 | 2): unknown {
  opened[fd as number] = own === 1 ? 'stdout' : 'stderr'
  return fd
}

function forget(fd: unknown): void { if (typeof fd === 'number') opened[fd] = undefined }

/**
 * Lets cells open the guest's own output by its path, as on a terminal. What they get is a descriptor of /dev/null that
 * the wrappers of writing know; `wrap` puts a method in the place of node:fs's own.
 */
export function installOwnPaths(wrap: (name: string, wrapped: (native: Fn) => Fn, holder?: Record<string, Fn>) => void): void {
  wrap('openSync', native => function (this: unknown, path, ...rest) {
    const own = ownDescriptor(path)
    return own === undefined ? apply(native, this, [path, ...rest]) : note(apply(native, this, ['/dev/null', 'w']), own)
  })
  wrap('open', native => function (this: unknown, path, ...rest) {
    const own = ownDescriptor(path)
    const done = rest[rest.length - 1]
    if (own === undefined || typeof done !== 'function') return apply(native, this, [path, ...rest])
    return apply(native, this, ['/dev/null', 'w', (error: unknown, fd: unknown) => { (done as Fn)(error, error === null ? note(fd, own) : fd) }])
  })
  for (const name of ['closeSync', 'close']) {
    wrap(name, native => function (this: unknown, fd, ...rest) {
      forget(fd)
      return apply(native, this, [fd, ...rest])
    })
  }
  wrap('open', native => async function (this: unknown, path, ...rest) {
    const own = ownDescriptor(path)
    if (own === undefined) return await apply(native, this, [path, ...rest])
    const handle = await apply(native, this, ['/dev/null', 'w']) as Handle
    note(handle.fd, own)
    return ownHandle(handle)
  }, fs.promises as unknown as Record<string, Fn>)
}
