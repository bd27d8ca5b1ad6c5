import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const { openSync, writeSync, closeSync, mkdtempSync, mkdirSync } = fs
const { join } = path
const { tmpdir } = os

/** Characters collected before a write. */
const BUFFER_CHARS = 64 * 1024

/** A file that takes what is too long to show. A disk that is full costs the file, never the cell. */
export class Spill {
  /** Its path; undefined when it could not be written. */
  path: string | undefined
  private fd: number | null = null
  private buffer = ''
  private bytes = 0
  private readonly maxBytes: number

  constructor(folder: string | null, name: string, maxBytes: number) {
    this.maxBytes = maxBytes
    if (maxBytes === 0) return
    try {
      const target = folder === null ? mkdtempSync(join(tmpdir(), 'pi-rlm-output-')) : folder
      mkdirSync(target, { recursive: true, mode: 0o700 })
      this.path = join(target, name)
      this.fd = openSync(this.path, 'w', 0o600)
    } catch {
      this.path = undefined
    }
  }

  write(text: string): void {
    if (this.fd === null) return
    this.buffer += text
    if (this.buffer.length >= BUFFER_CHARS) this.flush()
  }

  flush(): void {
    if (this.fd === null || this.buffer === '') return
    try {
      if (this.bytes < this.maxBytes) this.bytes += writeSync(this.fd, this.buffer)
    } catch {
      this.close()
      this.path = undefined
    }
    this.buffer = ''
  }

  close(): void {
    this.flush()
    if (this.fd === null) return
    try { closeSync(this.fd) } catch { /* nothing more can be written to it anyway */ }
    this.fd = null
  }
}
