import fs from 'node:fs'
import { type Frame, FRAME_CAP, MESSAGE_CAP, PART_CHARS } from '../protocol.ts'
import { encode } from './encode.ts'
import { createMac } from './mac.ts'

const { writeSync } = fs
const { apply } = Reflect
const { wait } = Atomics
const { encodeInto } = TextEncoder.prototype
const { slice, charCodeAt } = String.prototype
const { exit } = process
const soon = queueMicrotask
const encoder = new TextEncoder()
const idle = new Int32Array(new SharedArrayBuffer(4))

/** Frames kept for a resend: more than arrive between a spoiled line and the host's request. */
const KEPT_FRAMES = 256

/** Characters of gathered frames that are worth a line of their own. */
const BATCH_CHARS = 16_384
/** Room before the body of a line: a newline and the MAC. */
const HEAD = 33
const NEWLINE = 10

export interface Sender {
  send(frame: Frame): void
  /**
   * Takes a frame as JSON text. The first of a turn goes out at once, those behind it together at the end of the turn,
   * with any other frame, or when they are many: a thousand calls at once cost little more than one.
   */
  gather(text: string): void
  /** Sends what was gathered; before the process ends. */
  flush(): void
  /** Writes every kept frame after `seq` again. */
  resend(seq: number): void
}

/** The guest's voice on fd 3: numbers each frame, adds its MAC, and writes it before it returns. */
export function createSender(key: Uint8Array): Sender {
  const write = createWriter(key)
  // A ring of slots that all exist: growing an array would ask Array.prototype for setters a cell can plant.
  const ring = new Array<string>(KEPT_FRAMES).fill('')
  let seq = 0
  let gathering = false
  let gathered = ''

  function sendText(text: string): void {
    seq++
    const body = `{"seq":${seq},${apply(slice, text, [1]) as string}`
    ring[seq % KEPT_FRAMES] = body
    write(body)
  }

  function sendWhole(text: string): void {
    if (text.length <= PART_CHARS) { sendText(text); return }
    if (text.length > MESSAGE_CAP) throw new RangeError(`a message of ${text.length} characters is over the limit of ${MESSAGE_CAP}`)
    for (let index = 0, at = 0; at < text.length; index++, at += PART_CHARS) {
      const piece = apply(slice, text, [at, at + PART_CHARS]) as string
      sendText(encode({ type: 'part', index, last: at + PART_CHARS >= text.length, text: piece }))
    }
  }

  function flush(): void {
    if (gathered === '') return
    const text = gathered
    gathered = ''
    sendText(`{"type":"batch","frames":[${text}]}`)
  }

  const endOfTurn = (): void => {
    gathering = false
    flush()
  }

  return {
    send(frame) {
      const text = encode(frame)
      flush()
      sendWhole(text)
    },
    gather(text) {
      const short = text.length <= BATCH_CHARS
      if (!short) flush()
      if (!gathering || !short) sendWhole(text)
      else gathered += gathered === '' ? text : `,${text}`
      if (gathered.length > BATCH_CHARS) flush()
      if (gathering) return
      gathering = true
      soon(endOfTurn)
    },
    flush,
    resend(after) {
      const first = seq - KEPT_FRAMES < after ? after + 1 : seq - KEPT_FRAMES + 1
      for (let i = first < 1 ? 1 : first; i <= seq; i++) write(ring[i % KEPT_FRAMES] ?? '')
    },
  }
}

/** Writes a body as a line: a newline, its MAC, itself, a newline. The bytes are laid out once and moved by index. */
function createWriter(key: Uint8Array): (body: string) => void {
  const mac = createMac(key)
  key.fill(0)
  const store = new ArrayBuffer(HEAD + FRAME_CAP + 128)
  const line = new Uint8Array(store)
  const bytes = new Uint8Array(store, HEAD)
  line[0] = NEWLINE
  return body => {
    const { written } = apply(encodeInto, encoder, [body, bytes]) as { written: number }
    bytes[written] = NEWLINE
    const text = mac(bytes, written)
    for (let i = 0; i < HEAD - 1; i++) line[1 + i] = apply(charCodeAt, text, [i]) as number
    writeAll(line, HEAD + written + 1)
  }
}

/** A full socket makes the guest wait: that is the back-pressure of a flood. */
function writeAll(bytes: Uint8Array, size: number): void {
  for (let at = 0; at < size;) {
    try {
      at += writeSync(3, bytes, at, size - at)
    } catch (error) {
      // The host is gone, and with it everyone this guest could answer to.
      if ((error as { code?: unknown } | null)?.code !== 'EAGAIN') exit(0)
      wait(idle, 0, 0, 1)
    }
  }
}
