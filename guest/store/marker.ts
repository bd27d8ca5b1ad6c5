/**
 * Which values ended the process that read them. Before a value is read its mark is written, after it the mark is
 * cleared: a mark that is still there at the next start names a value that is not read again until a notebook has
 * been closed in order. Then it is tried once more: the process may have been ended from outside while it read.
 */
import { join } from 'node:path'
import { type Disk, writeAll } from './disk.ts'
import { bytesOf, SafeSet } from './safe.ts'

const WIDTH = 64
const CLEAR = bytesOf(' '.repeat(WIDTH))

export class Marker {
  private readonly disk: Disk
  private readonly path: string
  private file: number | null = null
  /** Hashes of values that ended a process. */
  readonly deadly = new SafeSet<string>()
  private place = 0

  constructor(disk: Disk, folder: string) {
    this.disk = disk
    this.path = join(folder, 'reading')
    if (disk.stat(this.path) === undefined) return
    const text = disk.read(this.path).toString('latin1')
    for (let at = 0; at + WIDTH <= text.length; at += WIDTH) {
      const hash = text.slice(at, at + WIDTH)
      if (/^[0-9a-f]{64}$/.test(hash)) this.deadly.add(hash)
    }
    this.place = this.deadly.size * WIDTH
  }

  /** Runs `read` with the mark of a value set. */
  during<T>(hash: string, read: () => T): T {
    this.set(bytesOf(hash))
    try { return read() } finally { this.set(CLEAR) }
  }

  private set(mark: Uint8Array): void {
    // A folder that cannot be written gives no protection, but must not keep values from being read.
    try {
      this.file ??= this.start()
      writeAll(this.disk, this.file, mark, this.place)
    } catch { /* as said */ }
  }

  private start(): number {
    const file = this.disk.open(this.path, 'w')
    writeAll(this.disk, file, bytesOf([...this.deadly].join('')), 0)
    return file
  }

  close(): void {
    if (this.file === null) return
    this.disk.close(this.file)
    this.file = null
    if (this.deadly.size === 0) this.disk.remove(this.path)
  }

  /** The notebook is closed in order: no mark is left. */
  end(): void {
    this.close()
    try { this.disk.remove(this.path) } catch { /* it stays, and so do its values: held, as before */ }
  }
}
