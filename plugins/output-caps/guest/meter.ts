import type { OutputMeter } from '../../../guest/guest.ts'
import type { Channel, ChannelEnd } from '../../../guest/protocol.ts'
import { clipEnd, clipStart } from './clip.ts'
import { Spill } from './spill.ts'

export interface Caps { readonly stdout: number; readonly stderr: number; readonly result: number; readonly spillBytes: number }

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
    if (this.spill !== null) { this.keep(text, text); return '' }
    const room = this.head - this.sentChars
    const head = text.length <= room ? text : clipStart(text, room)
    this.sentChars += head.length
    this.sent += head
    if (head.length === text.length) return text
    this.spill = this.openSpill()
    this.spill.write(this.sent)
    this.sent = ''
    this.keep(text.slice(head.length), text.slice(head.length))
    return head
  }

  end(): ChannelEnd | undefined {
    if (this.spill === null || this.told === this.total) return undefined
    this.told = this.total
    this.spill.flush()
    const { path } = this.spill
    return { total: this.total, tail: clipEnd(this.tail, this.tailCap), ...(path !== undefined && { spill: path }) }
  }

  close(): void { this.spill?.close() }

  private keep(text: string, spilled: string): void {
    this.spill?.write(spilled)
    // One character more than the cap, so that the last cut sees both halves of a pair; and twice the cap before it is
    // cut, so that many small writes do not copy the tail each time.
    const kept = this.tailCap + 1
    this.tail = text.length >= kept ? text.slice(-kept) : this.tail + text
    if (this.tail.length > 2 * kept) this.tail = this.tail.slice(-kept)
  }
}

/** The meter of one cell. */
export function createMeter(name: string, folder: string | null, caps: Caps): OutputMeter {
  const spill = (channel: string) => () => new Spill(folder, `${name}-${channel}.txt`, caps.spillBytes)
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
      file.close()
      const head = clipStart(text, Math.floor(caps.result * HEAD_SHARE))
      const tail = clipEnd(text, caps.result - head.length)
      const where = file.path === undefined ? '' : `; the whole is in ${file.path}`
      const shown = `${head}\n[… ${(text.length - head.length - tail.length).toLocaleString('en-US')} of ${text.length.toLocaleString('en-US')} characters of the result cut${where} …]\n${tail}`
      return { text: shown, cut: { total: text.length, ...(file.path !== undefined && { spill: file.path }) } }
    },
    close: () => { meters.stdout.close(); meters.stderr.close() },
  }
}
