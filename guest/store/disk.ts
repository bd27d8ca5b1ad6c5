import fs from 'node:fs'
import { dirname } from 'node:path'

/** The file system as the store uses it; an argument, so that tests can make any step fail. */
export interface Disk {
  makeFolder(path: string): void
  open(path: string, flags: 'r' | 'w' | 'a' | 'r+' | 'wx'): number
  write(file: number, bytes: Uint8Array, from: number, length: number, at: number | null): number
  writeLater(file: number, bytes: Uint8Array, from: number, length: number, at: number): Promise<number>
  sync(file: number): void
  syncLater(file: number): Promise<void>
  truncate(file: number, length: number): void
  close(file: number): void
  rename(from: string, to: string): void
  /** Gives a file a second name; fails when that is taken. */
  link(from: string, to: string): void
  remove(path: string): void
  copy(from: string, to: string): void
  read(path: string): Buffer
  readAt(file: number, length: number, at: number): Buffer
  list(path: string): string[]
  /** Size and mode of what is there; undefined when nothing is. */
  stat(path: string): { readonly size: number; readonly mode: number; readonly changed: number } | undefined
  touch(path: string): void
}

// Kept from before the first cell: node re-binds the module's members when a cell patches them.
const { mkdirSync, openSync, writeSync, fsyncSync, ftruncateSync, closeSync, renameSync, linkSync, rmSync, copyFileSync, readFileSync, readSync, readdirSync, statSync, utimesSync, write, fsync, chmodSync } = fs
const alloc = Buffer.allocUnsafe.bind(Buffer)
const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Parents one by one: a recursive mkdir does not end where the kernel lets nobody make folders, as under /proc. */
function makeFolder(path: string): void {
  try {
    if (statSync(path).isDirectory()) return
  } catch { /* made below, or refused with the system's reason */ }
  if (dirname(path) !== path) makeFolder(dirname(path))
  try { mkdirSync(path, 0o700) } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory()) throw error
    return
  }
  // The mode of a new folder is cut by the umask only, never widened; say it again for odd umasks.
  chmodSync(path, 0o700)
}

/** The real one. */
export const realDisk: Disk = {
  makeFolder,
  open: (path, flags) => openSync(path, flags, 0o600),
  write: (file, bytes, from, length, at) => writeSync(file, bytes, from, length, at),
  writeLater: (file, bytes, from, length, at) => new Promise((resolve, reject) => write(file, bytes, from, length, at, (error, written) => error === null ? resolve(written) : reject(error))),
  sync: fsyncSync,
  syncLater: file => new Promise((resolve, reject) => fsync(file, error => error === null ? resolve() : reject(error))),
  truncate: ftruncateSync,
  close: closeSync,
  rename: renameSync,
  link: linkSync,
  remove: path => rmSync(path, { force: true }),
  copy: (from, to) => {
    copyFileSync(from, to)
    chmodSync(to, 0o600)
  },
  read: path => readFileSync(path),
  readAt: (file, length, at) => {
    const bytes = alloc(length)
    let done = 0
    while (done < length) {
      const read = readSync(file, bytes, done, length - done, at + done)
      if (read === 0) break
      done += read
    }
    return bytes.subarray(0, done)
  },
  list: path => {
    try { return readdirSync(path) } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  },
  stat: path => {
    try {
      const { size, mode, mtimeMs } = statSync(path)
      return { size, mode: mode & 0o777, changed: mtimeMs }
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  },
  touch: path => utimesSync(path, new Date(), new Date()),
}

/** Writes all of `bytes`; a disk may take less than it was given. */
export function writeAll(disk: Disk, file: number, bytes: Uint8Array, at: number): void {
  let done = 0
  while (done < bytes.length) {
    const written = disk.write(file, bytes, done, bytes.length - done, at + done)
    if (written <= 0) throw new Error('the disk took no more bytes')
    done += written
  }
}

/** The same without blocking the thread. */
export async function writeAllLater(disk: Disk, file: number, bytes: Uint8Array, from: number, length: number, at: number): Promise<void> {
  let done = 0
  while (done < length) {
    const written = await disk.writeLater(file, bytes, from + done, length - done, at + done)
    if (written <= 0) throw new Error('the disk took no more bytes')
    done += written
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(disk: Disk, path: string): void {
  const file = disk.open(path, 'r')
  try { disk.sync(file) } finally { disk.close(file) }
}
