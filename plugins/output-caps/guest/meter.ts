import type { OutputMeter } from '../../../guest/guest.ts'
import { countText, keptText } from '../../../guest/kept.ts'
import type { Channel, ChannelEnd } from '../../../guest/protocol.ts'
import { clipEnd, clipStart } from './clip.ts'
import { Spill, type SpillPlace } from './spill.ts'

const { apply } = Reflect
const { slice } = String.prototype

export interface Caps { readonly stdout: number; readonly stderr: number; readonly result: number; readonly spillBytes: number; readonly folder: string }

/** Share of a cap that the beginning gets; the end gets the rest. */
const HEAD_SHARE = 0.7

/** One channel: the head passes, the rest is counted, spilled, and its end kept. */
class Meter {
  private readonly head: number
  private readonly tailCap: number
  private readonly openSpill: () => Spill
  private total = 0
  private sent = ''
  private sentChars = 0
  private tail = ''
  private spill: Spill | null = null
  private told = 0

  constructor(cap: number, openSpill: () => Spill) {
    this.head = Math.floor(cap * HEAD_SHARE)
    this.tailCap = cap - this.head
    this.openSpill = openSpill
  }

  write(text: string): string {
    this.total += text.length
    if (this.spill !== null) { this.keep(text); return '' }
    const room = this.head - this.sentChars
    const head = text.length <= room ? text : clipStart(text, room)
    this.sentChars += head.length
    this.sent += head
    if (head.length === text.length) return text
    this.spill = this.openSpill()
    this.spill.write(this.sent)
    this.sent = ''
    this.keep(apply(slice, text, [head.length]) as string)
    return head
  }

  end(): ChannelEnd | undefined {
    if (this.spill === null || this.told === this.total) return undefined
    this.told = this.total
    return { total: this.total, tail: clipEnd(this.tail, this.tailCap), ...this.spill.rest() }
  }

  private keep(text: string): void {
    this.spill?.write(text)
    // One character more than the cap, so that the last cut sees both halves of a pair; and twice the cap before it is
    // cut, so that many small writes do not copy the tail each time.
    const kept = this.tailCap + 1
    this.tail = text.length >= kept ? apply(slice, text, [-kept]) as string : this.tail + text
    if (this.tail.length > 2 * kept) this.tail = apply(slice, this.tail, [-kept]) as string
  }
}

/** The meter of one cell. */
export function createMeter(name: string, place: SpillPlace, caps: Omit<Caps, 'spillBytes' | 'folder'>): OutputMeter {
  const spill = (channel: string) => () => new Spill(place, `${name}-${channel}.txt`)
  const meters: Readonly<Record<Channel, Meter>> = { stdout: new Meter(caps.stdout, spill('stdout')), stderr: new Meter(caps.stderr, spill('stderr')) }
  return {
    write: (channel, text) => meters[channel].write(text),
    ends: () => {
      const stdout = meters.stdout.end()
      const stderr = meters.stderr.end()
      return { ...(stdout && { stdout }), ...(stderr && { stderr }) }
    },
    result: text => {
      if (text.length <= caps.result) return { text }
      const file = spill('result')()
      file.write(text)
      const kept = file.rest()
      const head = clipStart(text, Math.floor(caps.result * HEAD_SHARE))
      const tail = clipEnd(text, caps.result - head.length)
      const shown = `${head}\n[… ${countText(text.length - head.length - tail.length)} of ${countText(text.length)} characters of the result cut${keptText(kept)} …]\n${tail}`
      return { text: shown, cut: { total: text.length, ...kept } }
    },
  }
}
