import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { type Command, type Frame, FRAME_CAP, MESSAGE_CAP, PART_CHARS } from '../guest/protocol.ts'

const NEWLINE = 10
/** Hex digits of the MAC before each frame. */
const MAC_CHARS = 32
/** What a frame begins with, behind its MAC: a line without it costs no MAC. */
const BODY_START = Buffer.from('{"seq":')
/** How long the host works on what it read before others have their turn, in milliseconds: a flood of lines must not stall it. */
const TURN_MS = 8
/** How long after a spoiled line the host asks for what it missed, in milliseconds. */
const RESEND_MS = 30

export interface LinkEvents {
  /** Called with each authentic frame, in the order they were sent. */
  onFrame(frame: Frame): void
  /** The other side closed the channel. */
  onClose(): void
}

/** The host's end of fd 3. Only a frame with the right MAC and the next sequence number is heard. */
export class Link {
  /** Lines that were not frames of this guest, or frames heard before. */
  rejected = 0
  private readonly socket: Duplex
  private readonly events: LinkEvents
  private readonly key = randomBytes(32)
  private heard = 0
  private chunks: Buffer[] = []
  private size = 0
  private overlong = false
  private parts: string[] = []
  private partChars = 0
  private resend: NodeJS.Timeout | undefined
  private closed = false
  private unheard: Command | null = null
  private broken = false
  private turnFrom: number | null = null
  private gathering = false
  private gathered = ''

  constructor(socket: Duplex, events: LinkEvents) {
    this.socket = socket
    this.events = events
    // Permanent: a dying guest with unread bytes gives ECONNRESET, and an unhandled one would end the host.
    socket.on('error', () => { this.broken = true; this.close() })
    socket.on('close', () => { this.close() })
    socket.on('end', () => { this.close() })
    socket.on('data', (chunk: Buffer) => { this.takeTurn(); this.read(chunk) })
    socket.write(`${this.key.toString('hex')}\n`)
  }

  /**
   * The last command, when the other side ended without having read all of it; null when it may have been read. The
   * system tells: a channel whose reader ends with bytes unread is reset, one that was read to its end just closes.
   */
  get unread(): Command | null { return this.broken ? this.unheard : null }

  /** False when the message is over the limit or the channel is closed; nothing was sent then. */
  send(command: Command): boolean {
    const text = JSON.stringify(command)
    return text.length <= MESSAGE_CAP && this.sendText(text, command)
  }

  /** The same for a command that is encoded already, and within the limit. */
  sendText(text: string, command: Command | null = null): boolean {
    this.unheard = command
    if (this.closed) { this.broken = true; return false }
    if (text.length <= PART_CHARS) { this.write(text); return true }
    for (let index = 0, at = 0; at < text.length; index++, at += PART_CHARS) {
      const part: Command = { type: 'part', index, last: at + PART_CHARS >= text.length, text: text.slice(at, at + PART_CHARS) }
      this.write(JSON.stringify(part))
    }
    return true
  }

  /** The first line of a turn goes out at once, those behind it in one write: answers to many calls come together. */
  private write(line: string): void {
    if (this.gathering) { this.gathered += `${line}\n`; return }
    this.gathering = true
    process.nextTick(() => { this.endOfTurn() })
    this.socket.write(`${line}\n`)
  }

  private endOfTurn(): void {
    const text = this.gathered
    this.gathered = ''
    this.gathering = false
    if (text !== '' && !this.closed) this.socket.write(text)
  }

  destroy(): void {
    this.close()
    this.socket.destroy()
  }

  private close(): void {
    if (this.closed) return
    this.closed = true
    clearTimeout(this.resend)
    this.events.onClose()
  }

  /** Several chunks may be read in one turn of the event loop; when they have taken long enough, the rest waits for the next. */
  private takeTurn(): void {
    if (this.turnFrom === null) {
      this.turnFrom = performance.now()
      setImmediate(() => { this.turnFrom = null; this.socket.resume() })
    } else if (performance.now() - this.turnFrom > TURN_MS) this.socket.pause()
  }

  private read(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.keep(chunk.subarray(start, end))
      start = end + 1
      this.line()
    }
    if (start < chunk.length) this.keep(chunk.subarray(start))
  }

  /** The cap holds before anything is kept: a line without end costs no memory. */
  private keep(piece: Buffer): void {
    if (this.overlong) return
    if (this.size + piece.length > FRAME_CAP) {
      this.overlong = true
      this.chunks = []
      return
    }
    this.chunks.push(piece)
    this.size += piece.length
  }

  private line(): void {
    const line = this.chunks.length === 1 ? this.chunks[0] as Buffer : Buffer.concat(this.chunks)
    const { overlong } = this
    this.chunks = []
    this.size = 0
    this.overlong = false
    if (line.length === 0 && !overlong) return
    const body = overlong ? null : this.authentic(line)
    if (body === null) { this.reject(); return }
    const { seq, ...frame } = JSON.parse(body) as { seq: number } & Frame
    if (seq <= this.heard) { this.rejected++; return }
    if (seq > this.heard + 1) { this.askAgain(); return }
    this.heard = seq
    this.unheard = null
    this.deliver(frame)
  }

  private authentic(line: Buffer): string | null {
    if (line.length <= MAC_CHARS || !line.subarray(MAC_CHARS, MAC_CHARS + BODY_START.length).equals(BODY_START)) return null
    const body = line.subarray(MAC_CHARS)
    const mac = Buffer.from(createHmac('sha256', this.key).update(body).digest('hex').slice(0, MAC_CHARS), 'latin1')
    return timingSafeEqual(mac, line.subarray(0, MAC_CHARS)) ? body.toString('utf8') : null
  }

  private deliver(frame: Frame): void {
    if (frame.type === 'batch') { for (const each of frame.frames) this.events.onFrame(each); return }
    if (frame.type !== 'part') { this.events.onFrame(frame); return }
    if (frame.index === 0) { this.parts = []; this.partChars = 0 }
    this.partChars += frame.text.length
    if (this.partChars <= MESSAGE_CAP) this.parts.push(frame.text)
    if (!frame.last) return
    const text = this.parts.join('')
    this.parts = []
    this.events.onFrame(JSON.parse(text) as Frame)
  }

  private reject(): void {
    this.rejected++
    // The line may have been a frame that something wrote into; the guest still has it.
    this.resend ??= setTimeout(() => { this.askAgain() }, RESEND_MS)
  }

  private askAgain(): void {
    clearTimeout(this.resend)
    this.resend = undefined
    this.send({ type: 'resend', seq: this.heard })
  }
}
