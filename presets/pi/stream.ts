import type { Channel } from '../../guest/protocol.ts'
import type { Section } from './view/layout.ts'

/** pi makes an event of every update, in JSON and RPC mode one with all it holds: few updates, each short. */
const EVERY_MS = 50
const TAIL_CHARS = 4000

/** The end of a running cell's output. */
export interface Tail { readonly sections: readonly Section[]; readonly lines: number }

export interface Clock { now(): number; later(task: () => void, ms: number): () => void }
const systemClock: Clock = {
  now: () => performance.now(),
  later(task, ms) {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
}

/** Collects a cell's output and passes its tail on, at most twenty times a second. */
export class TailStream {
  private pieces: { kind: Channel; text: string }[] = []
  private chars = 0
  private lines = 0
  private sentAt = -Infinity
  private cancel: (() => void) | undefined
  private readonly send: (tail: Tail) => void
  private readonly clock: Clock

  constructor(send: (tail: Tail) => void, clock: Clock = systemClock) {
    this.send = send
    this.clock = clock
  }

  write(text: string, channel: Channel): void {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.lines++
    this.keep(text.slice(-TAIL_CHARS), channel)
    this.cancel ??= this.clock.later(() => this.flush(), Math.max(0, this.sentAt + EVERY_MS - this.clock.now()))
  }

  /** Ends the stream; nothing is sent any more. */
  close(): void {
    this.cancel?.()
    this.cancel = () => {}
  }

  private keep(text: string, channel: Channel): void {
    const last = this.pieces.at(-1)
    if (last?.kind === channel) last.text += text
    else this.pieces.push({ kind: channel, text })
    this.chars += text.length
    // Twice the size before it is cut, so that many small writes do not each copy the tail.
    if (this.chars > 2 * TAIL_CHARS) this.cut()
  }

  private cut(): void {
    let left = TAIL_CHARS
    const kept: { kind: Channel; text: string }[] = []
    for (const piece of this.pieces.reverse()) {
      if (left <= 0) break
      kept.unshift({ kind: piece.kind, text: piece.text.slice(-left) })
      left -= piece.text.length
    }
    this.pieces = kept
    this.chars = kept.reduce((sum, piece) => sum + piece.text.length, 0)
  }

  private flush(): void {
    this.cancel = undefined
    this.sentAt = this.clock.now()
    this.cut()
    this.send({ sections: this.pieces.map(piece => ({ ...piece })), lines: this.lines })
  }
}
