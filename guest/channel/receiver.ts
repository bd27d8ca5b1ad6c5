import fs from 'node:fs'
import { createRequire } from 'node:module'
import type { Command } from '../protocol.ts'
import { keepMethods } from '../keep-methods.ts'
import { readNow } from './read-now.ts'

const { read } = fs
const { apply } = Reflect
const { parse } = JSON
const { decode } = TextDecoder.prototype
const { exit } = process
const later = setTimeout
const Bytes = Uint8Array
const Store = ArrayBuffer
const decoder = new TextDecoder()

const READ_BYTES = 65_536
const NEWLINE = 10

/**
 * Bytes to commands: keeps what is not yet a whole line, and puts messages sent in parts together again. Bytes are
 * moved by index, since every method of a typed array is one a cell can replace.
 */
function createDecoder(onCommand: (command: Command) => void): (chunk: Uint8Array, size: number) => void {
  let capacity = READ_BYTES
  let store = new Store(capacity)
  let pending = new Bytes(store)
  let filled = 0
  let parts = ''

  function take(from: number, to: number): void {
    const message = parse(apply(decode, decoder, [new Bytes(store, from, to - from)]) as string) as Command
    if (message.type !== 'part') { onCommand(message); return }
    parts = message.index === 0 ? message.text : parts + message.text
    if (!message.last) return
    const whole = parts
    parts = ''
    onCommand(parse(whole) as Command)
  }

  function grow(): void {
    const before = pending
    capacity *= 2
    store = new Store(capacity)
    pending = new Bytes(store)
    for (let i = 0; i < filled; i++) pending[i] = before[i]!
  }

  return (chunk, size) => {
    let start = 0
    for (let i = 0; i < size; i++) {
      if (filled === capacity) grow()
      pending[filled++] = chunk[i]!
      if (chunk[i] !== NEWLINE) continue
      take(start, filled - 1)
      start = filled
    }
    for (let i = start; i < filled; i++) pending[i - start] = pending[i]!
    filled -= start
  }
}

/**
 * Reads commands from fd 3 until the host closes it. Bun gets raw reads (a net.Socket on an inherited fd reads nothing
 * there); node gets a socket with its own read buffer, which needs neither streams nor emitters, while a raw read
 * would keep `process.exit()` from ending the process.
 */
export function receive(onCommand: (command: Command) => void): void {
  const feed = createDecoder(onCommand)
  const buffer = new Bytes(READ_BYTES)
  // The boot command is there as a rule, or about to come: a turn of the event loop costs more than the wait.
  feed(buffer, readNow(buffer, 0, READ_BYTES))
  if (process.versions.bun === undefined) {
    const onread = { buffer, callback: (size: number, bytes: Uint8Array): boolean => { feed(bytes, size); return true } }
    // Not an import: on bun it would be a good part of a start.
    const { Socket } = createRequire(import.meta.url)('node:net') as typeof import('node:net')
    const socket = keepMethods(new Socket({ fd: 3, onread } as never))
    for (const event of ['end', 'close', 'error']) socket.on(event, () => exit(0))
    socket.resume()
    return
  }
  const next = (): void => read(3, buffer, 0, READ_BYTES, null, (error, size) => {
    if ((error as { code?: unknown } | null)?.code === 'EAGAIN') { later(next, 5); return }
    if (error !== null || size === 0) { exit(0); return }
    feed(buffer, size)
    next()
  })
  next()
}
