import { join } from 'node:path'
import { type Disk, syncFolder, writeAll } from './disk.ts'
import { alloc } from './safe.ts'

/** The folder of one state: small files in it, written whole and published by rename. */
export class Files {
  readonly folder: string
  readonly disk: Disk

  constructor(folder: string, disk: Disk) {
    this.folder = folder
    this.disk = disk
  }

  path(name: string): string { return join(this.folder, name) }
  has(name: string): boolean { return this.disk.stat(this.path(name)) !== undefined }
  read(name: string): Buffer { return this.has(name) ? this.disk.read(this.path(name)) : alloc(0) }

  /** Durable when it returns. */
  write(name: string, bytes: Uint8Array): void {
    const file = this.disk.open(this.path(name), 'w')
    try {
      writeAll(this.disk, file, bytes, 0)
      this.disk.sync(file)
    } finally { this.disk.close(file) }
  }

  /** Puts a file that is durable in the place of another. */
  publish(from: string, to: string): void {
    this.disk.rename(this.path(from), this.path(to))
    syncFolder(this.disk, this.folder)
  }

  /** Removes what a write that failed left behind. */
  removeTemporary(): void {
    for (const name of ['log.new', 'forgotten.new', join('blobs', 'new')]) try { this.disk.remove(this.path(name)) } catch { /* the next write goes over it */ }
  }
}
