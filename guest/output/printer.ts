import type { OutputMeter } from '../guest.ts'
import type { Channel, Cut } from '../protocol.ts'
import type { Outbox } from './outbox.ts'

const { apply } = Reflect
const { decode } = TextDecoder.prototype
const Decoder = TextDecoder
const Bytes = Uint8Array
/** Bytes or characters handled at once: text as long as the longest buffers is more than a string can hold, and a copy of a long text costs its memory. */
const PIECE = 1 << 20
const { slice, charCodeAt } = String.prototype
const { toWellFormed } = String.prototype as { toWellFormed?: () => string }

/** A cell's two channels: bytes are joined to whole characters, volume is cut by the meter, the rest is sent. */
export class Printer {
  private readonly cell: string
  private readonly outbox: Outbox
  private readonly meter: OutputMeter | null
  private readonly decoders: Record<Channel, InstanceType<typeof Decoder> | null> = { stdout: null, stderr: null }

  constructor(cell: string, outbox: Outbox, meter: OutputMeter | null) {
    this.cell = cell
    this.outbox = outbox
    this.meter = meter
  }

  print(channel: Channel, chunk: string | Uint8Array): void {
    if (typeof chunk === 'string') { this.printText(channel, chunk); return }
    for (let at = 0; at < chunk.length; at += PIECE) {
      const length = chunk.length - at < PIECE ? chunk.length - at : PIECE
      this.add(channel, this.decode(channel, new Bytes(chunk.buffer, chunk.byteOffset + at, length)))
    }
  }

  /** At the cell's end: what is left of a split character shows as U+FFFD. */
  finish(): void {
    for (const channel of ['stdout', 'stderr'] as const) {
      const rest = this.afterBytes(channel)
      this.add(channel, rest)
    }
  }

  /** A result's text within the cap, with its full length when it was cut. */
  result(text: string, cap: number): { readonly text: string; readonly cut?: Cut } {
    if (this.meter !== null) return this.meter.result(text)
    return text.length <= cap ? { text } : { text: wellFormed(apply(slice, text, [0, cap]) as string), cut: { total: text.length } }
  }

  ends(): ReturnType<OutputMeter['ends']> { return this.meter?.ends() ?? {} }

  private printText(channel: Channel, text: string): void {
    this.add(channel, this.afterBytes(channel))
    if (text.length <= PIECE) { this.add(channel, wellFormed(text)); return }
    for (let at = 0; at < text.length;) {
      let end = at + PIECE
      if (end < text.length && isHigh(apply(charCodeAt, text, [end - 1]) as number)) end--
      this.add(channel, wellFormed(apply(slice, text, [at, end]) as string))
      at = end
    }
  }

  private add(channel: Channel, text: string): void {
    if (text !== '') this.outbox.add(this.cell, channel, this.meter === null ? text : this.meter.write(channel, text))
  }

  private decode(channel: Channel, bytes: Uint8Array): string {
    const decoder = this.decoders[channel] ??= new Decoder('utf-8', { ignoreBOM: true })
    return apply(decode, decoder, [bytes, { stream: true }]) as string
  }

  /** Text after bytes ends the bytes: an incomplete character before it is complete as it is. */
  private afterBytes(channel: Channel): string {
    const decoder = this.decoders[channel]
    if (decoder === null) return ''
    this.decoders[channel] = null
    return apply(decode, decoder, []) as string
  }
}

/** The first half of a surrogate pair, if its other half follows. */
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/** Replaces lone surrogates, which no UTF-8 text can carry. */
function wellFormed(text: string): string {
  return toWellFormed === undefined ? text : apply(toWellFormed, text, []) as string
}
