import fs from 'node:fs'
import type { Clean } from './console.ts'

type Name = 'stdout' | 'stderr'
type Stream = object

const { defineProperty, getOwnPropertyDescriptor } = Object
const { apply } = Reflect
const FD = { stdout: 1, stderr: 2 } as const
const onBun = process.versions.bun !== undefined

/**
 * Makes process.stdout and process.stderr when they are first asked for, which most notebooks never do: the streams of
 * the runtimes are a good part of a start. `made` is told of each before anyone else has it.
 */
export function lazyStreams(clean: Clean, made: (name: Name, stream: Stream) => void): void {
  for (const name of ['stdout', 'stderr'] as const) {
    const native = nativeStream(name)
    let stream: Stream | undefined
    const get = (): Stream => {
      stream ??= clean(() => {
        const own = native()
        made(name, own)
        return own
      })
      return stream
    }
    // bun's are plain properties, so that a cell may set them.
    const settable = onBun && {
      set: (value: unknown): void => { defineProperty(process, name, { value, writable: true, enumerable: true, configurable: true }) },
    }
    // Any other way to put something in its place would make bun's stream first.
    if (onBun) (process as unknown as Record<Name, unknown>)[name] = undefined
    defineProperty(process, name, { get, ...settable, enumerable: true, configurable: true })
  }
}

/** What makes the runtime's own stream. bun's property cannot be looked at without making it, so it is made here as there. */
function nativeStream(name: Name): () => Stream {
  if (onBun) return () => fileStream(FD[name])
  const { get } = getOwnPropertyDescriptor(process, name) ?? {}
  return () => get === undefined ? fileStream(FD[name]) : apply(get, process, []) as Stream
}

function fileStream(fd: 1 | 2): Stream {
  const { WriteStream } = fs as unknown as { WriteStream: new (path: null, options: object) => Stream & { destroy(): void } }
  const stream = new WriteStream(null, { fd, autoClose: false })
  // As in the runtimes: nothing that ends a stream closes the process's own output.
  const end = (_error: unknown, done?: (error?: unknown) => void): void => { done?.() }
  return Object.assign(stream, { fd, _type: 'pipe', _isStdio: true, destroySoon: stream.destroy.bind(stream), _destroy: end })
}
