import { join } from 'node:path'
import { syncFolder, writeAllLater } from './disk.ts'
import type { Files } from './files.ts'
import { hasher, SafeSet } from './safe.ts'

/** Values of this size and more lie in files of their own, named by their content. */
export const BLOB_BYTES = 32 * 1024
const PIECE = 4 << 20
const NEW = join('blobs', 'new')
const nameOf = (hash: string): string => join('blobs', hash)

/** Large values beside the log. */
export class Blobs {
  private readonly files: Files
  constructor(files: Files) { this.files = files }

  read(hash: string): Buffer | undefined { return this.files.has(nameOf(hash)) ? this.files.read(nameOf(hash)) : undefined }

  /** Writes a value, hashing one piece while another is written; answers its hash. Durable when it resolves. */
  async write(bytes: Uint8Array, known: string | undefined): Promise<string> {
    const { files, files: { disk } } = this
    if (known !== undefined && disk.stat(files.path(nameOf(known)))?.size === bytes.length) return known
    const file = disk.open(files.path(NEW), 'w')
    let hash = known
    try {
      const counting = known === undefined ? hasher() : null
      for (let from = 0; from < bytes.length; from += PIECE) {
        const length = Math.min(PIECE, bytes.length - from)
        const written = writeAllLater(disk, file, bytes, from, length, from)
        counting?.add(bytes.subarray(from, from + length))
        await written
      }
      await disk.syncLater(file)
      hash ??= counting?.end().toString('hex') ?? ''
    } finally { disk.close(file) }
    disk.rename(files.path(NEW), files.path(nameOf(hash)))
    syncFolder(disk, files.path('blobs'))
    return hash
  }

  /** Removes those that nothing names. */
  keepOnly(hashes: Iterable<string>): void {
    const named = new SafeSet(hashes)
    for (const name of this.files.disk.list(this.files.path('blobs'))) if (!named.has(name)) this.files.disk.remove(this.files.path(nameOf(name)))
  }
}
