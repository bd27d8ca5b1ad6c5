import fs from 'node:fs'
import path from 'node:path'
import type { Kept } from '../../../guest/protocol.ts'

const { openSync, writeSync, closeSync, mkdirSync, unlinkSync } = fs
const { join } = path
const { apply } = Reflect
const { slice, charCodeAt } = String.prototype
const { encodeInto } = TextEncoder.prototype
const Bytes = Uint8Array
const encoder = new TextEncoder()

/** Characters collected before a write, and at most encoded at once. */
const PIECE_CHARS = 64 * 1024
/** One buffer for all spills: it is empty between two calls. */
const store = new ArrayBuffer(3 * PIECE_CHARS)
const bytes = new Bytes(store)

/** Where spill files go; `onFirst` is called before one is made. */
export interface SpillPlace { readonly folder: string; readonly maxBytes: number; readonly onFirst: () => void }

/** A file that takes what is too long to show, in pieces. A disk that is full costs the rest of the file, never the cell. */
export class Spill {
  private readonly file: string
  private readonly place: SpillPlace
  private fd: number | null = null
  private opened = false
  private buffer = ''
  private size = 0
  private why: string | null = null

  constructor(place: SpillPlace, name: string) {
    this.place = place
    this.file = join(place.folder, name)
  }

  /** Takes well-formed text. */
  write(text: string): void {
    if (this.place.maxBytes === 0 || this.why !== null) return
    this.buffer += text
    if (this.buffer.length >= PIECE_CHARS) this.flush()
  }

  /** Brings out what was collected and lets go of the file until the next write; says what the file holds. */
  rest(): Kept {
    this.flush()
    this.close()
    if (this.place.maxBytes === 0) return {}
    if (this.why === null) return { spill: this.file }
    return { ...(this.size > 0 && { spill: this.file }), partial: { bytes: this.size, why: this.why } }
  }

  private flush(): void {
    const text = this.buffer
    this.buffer = ''
    for (let at = 0; at < text.length && this.why === null;) at += this.put(apply(slice, text, [at, at + PIECE_CHARS]) as string)
  }

  /** Writes a piece; answers how many of its characters that were: not half a pair, whose other half comes next. */
  private put(piece: string): number {
    const unit = apply(charCodeAt, piece, [piece.length - 1]) as number
    const whole = unit < 0xd800 || unit >= 0xdc00 || piece.length === 1 ? piece : apply(slice, piece, [0, -1]) as string
    const room = this.place.maxBytes - this.size
    const { read, written } = apply(encodeInto, encoder, [whole, room < bytes.length ? new Bytes(store, 0, room) : bytes]) as { read: number; written: number }
    try {
      this.fd ??= this.open()
      for (let at = 0; at < written;) {
        const count = writeSync(this.fd, bytes, at, written - at)
        at += count
        this.size += count
      }
      if (read < whole.length) this.why = `a spill file holds at most ${this.place.maxBytes} bytes`
    } catch (error) {
      this.fail(error)
    }
    return whole.length
  }

  private open(): number {
    if (!this.opened) {
      mkdirSync(this.place.folder, { recursive: true, mode: 0o700 })
      this.place.onFirst()
    }
    const fd = openSync(this.file, this.opened ? 'a' : 'w', 0o600)
    this.opened = true
    return fd
  }

  private fail(error: unknown): void {
    this.why = error instanceof Error ? error.message : String(error)
    this.close()
    if (this.opened && this.size === 0) try { unlinkSync(this.file) } catch { /* it stays, empty; nobody is told of it */ }
  }

  private close(): void {
    if (this.fd === null) return
    try { closeSync(this.fd) } catch { /* nothing more can be written to it anyway */ }
    this.fd = null
  }
}
