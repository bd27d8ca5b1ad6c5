import type { Channel, Frame } from '../protocol.ts'

const later = setTimeout
const { now } = performance
const clock = performance
const { apply } = Reflect

/** While output keeps coming, it is sent at most this often, in milliseconds, and in pieces of at least this many characters. */
const QUIET_MS = 5
const BATCH_CHARS = 16_384

interface Piece { readonly cell: string; readonly channel: Channel; text: string; next: Piece | null }

/**
 * Collects output on its way to the host. The first text after a pause goes out at once, so that a cell which then
 * spins has shown what it printed; a flood is sent in batches.
 */
export class Outbox {
  private readonly send: (frame: Frame) => void
  private first: Piece | null = null
  private last: Piece | null = null
  private chars = 0
  private sentAt = -QUIET_MS
  private timed = false
  private orphans = 0

  constructor(send: (frame: Frame) => void) { this.send = send }

  add(cell: string, channel: Channel, text: string): void {
    if (text === '') return
    const { last } = this
    if (last !== null && last.cell === cell && last.channel === channel) last.text += text
    else this.append({ cell, channel, text, next: null })
    this.chars += text.length
    if (this.chars >= BATCH_CHARS || (apply(now, clock, []) as number) - this.sentAt >= QUIET_MS) this.flush()
    else this.flushSoon()
  }

  /** Counts text that no cell can be named for. */
  orphan(chars: number): void {
    this.orphans += chars
    this.flushSoon()
  }

  flush(): void {
    let piece = this.first
    this.first = this.last = null
    this.chars = 0
    for (; piece !== null; piece = piece.next) this.send({ type: 'output', cell: piece.cell, channel: piece.channel, text: piece.text })
    if (this.orphans > 0) {
      this.send({ type: 'unattributed', chars: this.orphans })
      this.orphans = 0
    }
    this.sentAt = apply(now, clock, []) as number
  }

  private append(piece: Piece): void {
    if (this.last === null) this.first = piece
    else this.last.next = piece
    this.last = piece
  }

  private flushSoon(): void {
    if (this.timed) return
    this.timed = true
    const timer = later(() => { this.timed = false; this.flush() }, QUIET_MS) as { unref?: () => void }
    timer.unref?.()
  }
}
