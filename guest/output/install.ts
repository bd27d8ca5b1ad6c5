import { currentCell } from '../context.ts'
import type { Globals } from '../globals.ts'
import type { Channel } from '../protocol.ts'
import { installBunFiles } from './bun-files.ts'
import { createConsole } from './console.ts'
import type { Outbox } from './outbox.ts'
import { installRaw } from './raw.ts'
import { lazyStreams } from './streams.ts'

const { byteLength } = Buffer
const { defineProperty } = Object
const nextTick = process.nextTick.bind(process)
const { from } = Buffer

const { isView } = ArrayBuffer
const Bytes = Uint8Array

/**
 * Sends everything a cell writes through console, process.stdout and process.stderr to the cell that wrote it.
 * Answers a function that puts the three back in place after a cell replaced them.
 */
export function installOutput(outbox: Outbox, { clean, cleanAll, watch }: Pick<Globals, 'clean' | 'cleanAll' | 'watch'>): () => void {
  const print = (channel: Channel, text: string | Uint8Array): void => {
    const cell = currentCell()
    if (cell === undefined) outbox.orphan(typeof text === 'string' ? text.length : byteLength(text))
    else cell.print(channel, text)
  }
  const writer = (channel: Channel) => (chunk: unknown, encoding?: unknown, callback?: unknown): boolean => {
    const done = typeof encoding === 'function' ? encoding : callback
    if (typeof chunk === 'string') print(channel, typeof encoding === 'string' && encoding !== 'utf8' && encoding !== 'utf-8' ? from(chunk, encoding as BufferEncoding) : chunk)
    else if (isView(chunk)) print(channel, new Bytes(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    else throw Object.assign(new TypeError(`The "chunk" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${chunk === null ? 'null' : typeof chunk}`), { code: 'ERR_INVALID_ARG_TYPE' })
    if (typeof done === 'function') nextTick(done)
    return true
  }
  // What `end`, a pipe or a subclass writes does not pass `write`.
  const within = (channel: Channel) => (chunk: unknown, encoding: unknown, done: () => void): void => { writers[channel](chunk, encoding, done) }
  const methods: Record<string, unknown> = createConsole(print, cleanAll)
  const writers = { stdout: writer('stdout'), stderr: writer('stderr') }
  const own = globalThis.console
  const streams = new Map<Channel, object>()
  const install = (): void => {
    for (const name of Object.keys(methods)) put(own, name, methods[name])
    for (const [channel, stream] of streams) put(stream, 'write', writers[channel])
  }
  lazyStreams(clean, (channel, stream) => {
    streams.set(channel, stream)
    put(stream, 'write', writers[channel])
    put(stream, '_write', within(channel))
    put(stream, '_writev', null)
    watch(stream, 'write', `process.${channel}.`)
  })
  installRaw(print)
  if ('Bun' in globalThis) installBunFiles(print)
  install()
  return install
}

function put(holder: object, name: string, value: unknown): void {
  try { defineProperty(holder, name, { value, writable: true, configurable: true, enumerable: true }) } catch { /* frozen by a cell: what is there stays */ }
}
