import fs from 'node:fs'
import { type Frame, FRAME_CAP, MESSAGE_CAP, PART_CHARS } from '../protocol.ts'
import { encode } from './encode.ts'
import { createMac } from './mac.ts'

const { writeSync } = fs
const { apply } = Reflect
const { wait } = Atomics
const { encodeInto } = TextEncoder.prototype
const { slice } = String.prototype
const { exit } = process
const encoder = new TextEncoder()
const idle = new Int32Array(new SharedArrayBuffer(4))

/** Frames kept for a resend: more than arrive between a spoiled line and the host's request. */
const KEPT_FRAMES = 256

export interface Sender {
  send(frame: Frame): void
  /** Writes every kept frame after `seq` again. */
  resend(seq: number): void
}

/** The guest's voice on fd 3: numbers each frame, adds its MAC, and writes it before it returns. */
export function createSender(key: Uint8Array): Sender {
  const mac = createMac(key)
  key.fill(0)
  const bytes = new Uint8Array(FRAME_CAP + 128)
  // A ring of slots that all exist: growing an array would ask Array.prototype for setters a cell can plant.
  const ring = new Array<string>(KEPT_FRAMES).fill('')
  let seq = 0

  function sendText(text: string): void {
    seq++
    const body = `{"seq":${seq},${apply(slice, text, [1]) as string}`
    const { written } = apply(encodeInto, encoder, [body, bytes]) as { written: number }
    const line = `\n${mac(bytes, written)}${body}\n`
    ring[seq % KEPT_FRAMES] = line
    writeLine(line, bytes)
  }

  return {
    send(frame) {
      const text = encode(frame)
      if (text.length <= PART_CHARS) { sendText(text); return }
      if (text.length > MESSAGE_CAP) throw new RangeError(`a message of ${text.length} characters is over the limit of ${MESSAGE_CAP}`)
      for (let index = 0, at = 0; at < text.length; index++, at += PART_CHARS) {
        const piece = apply(slice, text, [at, at + PART_CHARS]) as string
        sendText(encode({ type: 'part', index, last: at + PART_CHARS >= text.length, text: piece }))
      }
    },
    resend(after) {
      const first = seq - KEPT_FRAMES < after ? after + 1 : seq - KEPT_FRAMES + 1
      for (let i = first < 1 ? 1 : first; i <= seq; i++) writeLine(ring[i % KEPT_FRAMES] ?? '', bytes)
    },
  }
}

/** Writes the whole line. A full socket makes the guest wait: that is the back-pressure of a flood. */
function writeLine(line: string, bytes: Uint8Array): void {
  const { written } = apply(encodeInto, encoder, [line, bytes]) as { written: number }
  for (let at = 0; at < written;) {
    try {
      at += writeSync(3, bytes, at, written - at)
    } catch (error) {
      // The host is gone, and with it everyone this guest could answer to.
      if ((error as { code?: unknown } | null)?.code !== 'EAGAIN') exit(0)
      wait(idle, 0, 0, 1)
    }
  }
}
