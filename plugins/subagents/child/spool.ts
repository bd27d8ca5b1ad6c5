import { closeSync, openSync, writeSync } from 'node:fs'

/** A file that grows with a child's output and comes to be with its first byte. Keeps the last text in memory. */
export class Spool {
  bytes = 0
  private readonly path: string
  private readonly cap: number
  private fd: number | null = null
  private tail = Buffer.alloc(0)

  /** Nothing is written beyond `cap` bytes; they are still counted. */
  constructor(path: string, cap: number) {
    this.path = path
    this.cap = cap
  }

  /** Throws when the disk refuses. */
  write(chunk: Uint8Array): void {
    const room = Math.max(0, this.cap - this.bytes)
    this.bytes += chunk.length
    this.tail = Buffer.from(Buffer.concat([this.tail, chunk]).subarray(-TAIL_BYTES))
    if (room === 0) return
    this.fd ??= openSync(this.path, 'w', 0o600)
    const piece = chunk.subarray(0, room)
    for (let at = 0; at < piece.length;) at += writeSync(this.fd, piece, at)
  }

  /** The last text that was written. */
  lastText(): string { return this.tail.toString('utf8') }

  close(): void {
    if (this.fd !== null) closeSync(this.fd)
    this.fd = null
  }
}

const TAIL_BYTES = 2_048
