/** The files of one state folder: the log, the blobs beside it, the list of forgotten names, what was set aside. */
import { join } from 'node:path'
import { type Disk, syncFolder, writeAll, writeAllLater } from './disk.ts'
import { StateError } from './errors.ts'
import { type CommitRecord, encodeRecord, FORMAT, type ForgetRecord, type LogRecord, scan, type ValueRecord } from './format.ts'
import { history, type History, type Saved, latest } from './history.ts'
import { concat, hasher, now, SafeMap, sha256 } from './safe.ts'

/** Values of this size and more lie in files of their own, named by their content. */
export const BLOB_BYTES = 32 * 1024
/** Up to this size an append is done at once: a thread pool takes longer than the disk. */
const AT_ONCE_BYTES = 256 * 1024
const PIECE = 4 << 20

/** What was read when the folder was opened. */
export interface Opened { readonly history: History; readonly notes: readonly string[]; readonly payload: (saved: Saved) => Buffer | undefined }

/** A value on its way to the log. */
export interface NewValue { readonly record: Omit<ValueRecord, 'hash' | 'blob' | 'id'>; readonly bytes: Uint8Array; hash: string | undefined }

export class Log {
  readonly folder: string
  private readonly disk: Disk
  private readonly made: string
  private file: number | null = null
  /** Where the next record goes. */
  private end = 0
  /** Set when the last write may have left anything behind: the file is then written anew before more is added. */
  private suspect = false
  private nextId = 1
  readonly values = new SafeMap<number, Saved>()
  commits: CommitRecord[] = []
  private forgets: ForgetRecord[] = []

  constructor(folder: string, disk: Disk, made: string) {
    this.folder = folder
    this.disk = disk
    this.made = made
  }

  private path(name: string): string { return join(this.folder, name) }
  get size(): number { return this.end }
  get latest(): number { return this.commits.at(-1)?.generation ?? 0 }
  get forgotten(): readonly ForgetRecord[] { return this.forgets }

  /** Reads what is there. With `repair` damage is set aside and the log cut to what is sound. */
  open(repair: boolean): Opened {
    const bytes = this.readIfThere('log')
    const found = scan(bytes)
    if (found.rest === 'newer') throw new StateError('STATE_UNREADABLE', `The state in ${this.folder} was written by a newer version of this program; it is left as it is. Use that version, or another folder.`)
    const notes: string[] = []
    const forgets = scan(this.readIfThere('forgotten')).found.map(({ record }) => record).filter(record => record.type === 'forget')
    const read = history(found.found, forgets)
    const unsound = found.found.filter(({ sound }) => !sound)
    if (found.rest === 'damaged' || unsound.length > 0) {
      const aside = repair ? this.setAside(bytes) : null
      const what = found.rest === 'damaged' ? `${bytes.length - found.end} bytes of the log do not verify; generation ${latest(read)} is the last good one` : `${unsound.length} saved values do not verify`
      notes.push(`State is damaged: ${what}.${aside === null ? '' : ` The file as it was: ${aside}`}`)
    }
    this.end = found.end
    this.suspect = found.rest !== 'none'
    this.values.clear()
    for (const [id, saved] of read.values) this.values.set(id, saved)
    this.nextId = Math.max(0, ...read.values.keys()) + 1
    this.commits = [...read.commits]
    this.forgets = forgets
    return { history: read, notes, payload: saved => saved.record.blob === true ? this.readBlob(saved.record.hash) : bytes.subarray(saved.from, saved.to) }
  }

  private readIfThere(name: string): Buffer {
    return this.disk.stat(this.path(name)) === undefined ? Buffer.alloc(0) : this.disk.read(this.path(name))
  }

  /** Copies a bad file under a name of its own content, so that it is kept once however often it is met. */
  private setAside(bytes: Buffer): string {
    const name = `log.corrupt-${sha256(bytes).toString('hex', 0, 6)}`
    if (this.disk.stat(this.path(name)) === undefined) this.disk.copy(this.path('log'), this.path(name))
    return this.path(name)
  }

  private readBlob(hash: string): Buffer | undefined {
    const path = this.path(join('blobs', hash))
    return this.disk.stat(path) === undefined ? undefined : this.disk.read(path)
  }

  /** The bytes of a saved value, undefined when they are not there or not what was written. */
  payload(id: number): Buffer | undefined {
    const saved = this.values.get(id)
    if (saved === undefined) return undefined
    const bytes = saved.record.blob === true ? this.readBlob(saved.record.hash) : this.readInline(saved)
    return bytes !== undefined && sha256(bytes).toString('hex') === saved.record.hash ? bytes : undefined
  }

  private readInline(saved: Saved): Buffer {
    const file = this.disk.open(this.path('log'), 'r')
    try { return this.disk.readAt(file, saved.to - saved.from, saved.from) } finally { this.disk.close(file) }
  }

  /** Makes folder and log when they are not there yet, and the log sound when it may not be. */
  private async ready(): Promise<number> {
    if (this.file !== null && !this.suspect) return this.file
    this.disk.makeFolder(this.path('blobs'))
    if (this.disk.stat(this.path('.gitignore')) === undefined) this.writeSmall('.gitignore', Buffer.from('*\n'))
    if (this.file !== null) {
      this.disk.close(this.file)
      this.file = null
    }
    if (this.disk.stat(this.path('log')) === undefined || this.end === 0) this.create()
    else if (this.suspect) await this.cut()
    this.file = this.disk.open(this.path('log'), 'r+')
    this.suspect = false
    return this.file
  }

  private create(): void {
    const header = encodeRecord({ type: 'header', format: FORMAT, made: this.made, at: now() })
    this.writeSmall('log.new', header)
    this.disk.rename(this.path('log.new'), this.path('log'))
    syncFolder(this.disk, this.folder)
    this.end = header.length
  }

  /** Cuts a torn tail. A failed sync may have dropped pages that read back well, so the sound part is written anew. */
  private async cut(): Promise<void> {
    const sound = this.disk.read(this.path('log')).subarray(0, this.end)
    const file = this.disk.open(this.path('log.new'), 'w')
    try {
      await writeAllLater(this.disk, file, sound, 0, sound.length, 0)
      await this.disk.syncLater(file)
    } finally { this.disk.close(file) }
    this.disk.rename(this.path('log.new'), this.path('log'))
    syncFolder(this.disk, this.folder)
  }

  private writeSmall(name: string, bytes: Uint8Array): void {
    const file = this.disk.open(this.path(name), 'w')
    try {
      writeAll(this.disk, file, bytes, 0)
      this.disk.sync(file)
    } finally { this.disk.close(file) }
  }

  /** Adds values and the commit that names them; durable when it resolves. Answers the ids, in order. */
  async append(values: readonly NewValue[], commit: (ids: number[]) => CommitRecord): Promise<{ ids: number[]; bytes: number }> {
    try {
      const file = await this.ready()
      for (const value of values) if (value.bytes.length >= BLOB_BYTES) await this.writeBlob(value)
      const ids: number[] = []
      const pieces: Buffer[] = []
      const added: [number, Saved][] = []
      let at = this.end
      for (const { record, bytes, hash } of values) {
        const id = this.nextId + ids.length
        const blob = bytes.length >= BLOB_BYTES
        const whole: ValueRecord = { ...record, id, hash: hash ?? sha256(bytes).toString('hex'), ...(blob && { blob }) }
        const encoded = encodeRecord(whole, blob ? undefined : bytes)
        const to = at + encoded.length - 16
        added.push([id, { record: whole, from: blob ? to : to - bytes.length, to, sound: true }])
        pieces.push(encoded)
        ids.push(id)
        at += encoded.length
      }
      const last = commit(ids)
      pieces.push(encodeRecord(last))
      const buffer = concat(pieces)
      await this.write(file, buffer)
      this.end += buffer.length
      this.nextId += ids.length
      for (const [id, saved] of added) this.values.set(id, saved)
      this.commits.push(last)
      return { ids, bytes: buffer.length + values.reduce((sum, { bytes }) => sum + (bytes.length >= BLOB_BYTES ? bytes.length : 0), 0) }
    } catch (cause) {
      this.suspect = true
      this.dropTail()
      this.removeTemporary()
      throw cause
    }
  }

  private async write(file: number, buffer: Buffer): Promise<void> {
    if (buffer.length <= AT_ONCE_BYTES) {
      writeAll(this.disk, file, buffer, this.end)
      this.disk.sync(file)
    } else {
      await writeAllLater(this.disk, file, buffer, 0, buffer.length, this.end)
      await this.disk.syncLater(file)
    }
  }

  /** Writes a large value beside the log, hashing one piece while another is written. */
  private async writeBlob(value: NewValue): Promise<void> {
    if (value.hash !== undefined && this.disk.stat(this.path(join('blobs', value.hash)))?.size === value.bytes.length) return
    const temporary = this.path(join('blobs', 'new'))
    const file = this.disk.open(temporary, 'w')
    try {
      const hash = value.hash === undefined ? hasher() : null
      for (let from = 0; from < value.bytes.length; from += PIECE) {
        const length = Math.min(PIECE, value.bytes.length - from)
        const written = writeAllLater(this.disk, file, value.bytes, from, length, from)
        hash?.add(value.bytes.subarray(from, from + length))
        await written
      }
      await this.disk.syncLater(file)
      value.hash ??= hash?.end().toString('hex')
    } finally { this.disk.close(file) }
    this.disk.rename(temporary, this.path(join('blobs', value.hash ?? '')))
    syncFolder(this.disk, this.path('blobs'))
  }

  /** What was not reported as saved should not be found there, as far as the disk still obeys. */
  private dropTail(): void {
    if (this.file !== null) try { this.disk.truncate(this.file, this.end) } catch { /* the next append writes the file anew */ }
  }

  private removeTemporary(): void {
    for (const name of ['log.new', 'forgotten.new', join('blobs', 'new')]) try { this.disk.remove(this.path(name)) } catch { /* the next write goes over it */ }
  }

  /** Durable when it returns. */
  forget(name: string, upTo: number): void {
    const forgets: ForgetRecord[] = [...this.forgets, { type: 'forget', name, upTo }]
    this.writeSmall('forgotten.new', concat(forgets.map(record => encodeRecord(record))))
    this.disk.rename(this.path('forgotten.new'), this.path('forgotten'))
    syncFolder(this.disk, this.folder)
    this.forgets = forgets
  }

  /** Writes a new log of `records` in place of the old one, then removes blobs that it does not name. */
  async replace(records: readonly LogRecord[]): Promise<void> {
    const old = this.disk.open(this.path('log'), 'r')
    const moved: [number, Saved][] = []
    let at = 0
    try {
      const file = this.disk.open(this.path('log.new'), 'w')
      try {
        let batch: Buffer[] = []
        let batchBytes = 0
        const flush = async (): Promise<void> => {
          const bytes = concat(batch)
          await writeAllLater(this.disk, file, bytes, 0, bytes.length, at)
          at += bytes.length
          batch = []
          batchBytes = 0
        }
        for (const record of records) {
          const saved = record.type === 'value' ? this.values.get(record.id) : undefined
          const bytes = saved === undefined || saved.record.blob === true ? undefined : this.disk.readAt(old, saved.to - saved.from, saved.from)
          const encoded = encodeRecord(record, bytes)
          if (saved !== undefined) {
            const to = at + batchBytes + encoded.length - 16
            moved.push([saved.record.id, { ...saved, from: to - (bytes?.length ?? 0), to }])
          }
          batch.push(encoded)
          batchBytes += encoded.length
          if (batchBytes >= PIECE) await flush()
        }
        await flush()
        await this.disk.syncLater(file)
      } finally { this.disk.close(file) }
    } finally { this.disk.close(old) }
    this.disk.rename(this.path('log.new'), this.path('log'))
    syncFolder(this.disk, this.folder)
    if (this.file !== null) this.disk.close(this.file)
    this.file = this.disk.open(this.path('log'), 'r+')
    this.end = at
    this.values.clear()
    for (const [id, saved] of moved) this.values.set(id, saved)
    this.commits = records.filter(record => record.type === 'commit')
    if (this.forgets.length > 0) this.disk.remove(this.path('forgotten'))
    this.forgets = []
    this.collect()
  }

  /** Removes blobs that no value names. */
  collect(): void {
    const named = new Set([...this.values].map(([, saved]) => saved.record.hash))
    for (const name of this.disk.list(this.path('blobs'))) if (!named.has(name)) this.disk.remove(this.path(join('blobs', name)))
  }

  close(): void {
    if (this.file !== null) this.disk.close(this.file)
    this.file = null
  }
}
