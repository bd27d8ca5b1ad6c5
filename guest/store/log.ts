/** The log of one state folder, and what goes with it: blobs, the list of forgotten names, what was set aside. */
import { BLOB_BYTES, Blobs } from './blobs.ts'
import { type Disk, writeAll, writeAllLater } from './disk.ts'
import { StateError } from './errors.ts'
import { Files } from './files.ts'
import { type CommitRecord, encodeRecord, FORMAT, type ForgetRecord, type LogRecord, type Scan, scan, type ValueRecord } from './format.ts'
import { history, type History, type Saved, latest } from './history.ts'
import { TAIL, writeLog } from './rewrite.ts'
import { bytesOf, concat, now, SafeMap, sha256 } from './safe.ts'

/** Up to this size an append is done at once: a thread pool takes longer than the disk. */
const AT_ONCE_BYTES = 256 * 1024

/** What the folder holds, and how the bytes of a value are had. */
export interface Opened { readonly history: History; readonly notes: readonly string[]; readonly payload: (saved: Saved) => Buffer | undefined }

/** A value on its way to the log. */
export interface NewValue { readonly record: Omit<ValueRecord, 'hash' | 'blob' | 'id'>; readonly bytes: Uint8Array; hash: string | undefined }

const isBlob = ({ bytes }: NewValue): boolean => bytes.length >= BLOB_BYTES

export class Log {
  private readonly files: Files
  private readonly blobs: Blobs
  private readonly disk: Disk
  private readonly made: string
  private file: number | null = null
  /** Where the next record goes. */
  private end = 0
  /** Set when the last write may have left anything behind: the file is then written anew before more is added. */
  private suspect = false
  private nextId = 1
  private forgets: ForgetRecord[] = []
  readonly values = new SafeMap<number, Saved>()
  commits: CommitRecord[] = []

  constructor(folder: string, disk: Disk, made: string) {
    this.files = new Files(folder, disk)
    this.blobs = new Blobs(this.files)
    this.disk = disk
    this.made = made
  }

  get latest(): number { return this.commits.at(-1)?.generation ?? 0 }
  get forgotten(): readonly ForgetRecord[] { return this.forgets }

  /** Reads what is there. With `repair` damage is set aside and the log cut to what is sound. */
  open(repair: boolean): Opened {
    const bytes = this.files.read('log')
    const found = scan(bytes)
    if (found.rest === 'newer') throw new StateError('STATE_UNREADABLE', `The state in ${this.files.folder} was written by a newer version of this program; it is left as it is. Use that version, or another folder.`)
    this.forgets = scan(this.files.read('forgotten')).found.map(({ record }) => record).filter(record => record.type === 'forget')
    const read = history(found.found, this.forgets)
    this.end = found.end
    this.suspect = found.rest !== 'none'
    this.values.clear()
    for (const [id, saved] of read.values) this.values.set(id, saved)
    this.nextId = Math.max(0, ...read.values.keys()) + 1
    this.commits = [...read.commits]
    return { history: read, notes: this.damage(found, bytes, latest(read), repair), payload: saved => saved.record.blob === true ? this.blobs.read(saved.record.hash) : bytes.subarray(saved.from, saved.to) }
  }

  /** The same as it is by now. */
  reopened(): Opened {
    return { history: { ...history([], this.forgets), values: this.values, commits: this.commits }, notes: [], payload: saved => this.payload(saved.record.id) }
  }

  private damage({ rest, found, end }: Scan, bytes: Buffer, last: number, repair: boolean): string[] {
    const unsound = found.filter(({ sound }) => !sound)
    if (rest !== 'damaged' && unsound.length === 0) return []
    const aside = repair ? ` The file as it was: ${this.setAside(bytes)}` : ''
    const what = rest === 'damaged' ? `${bytes.length - end} bytes of the log do not verify; generation ${last} is the last good one` : `${unsound.length} saved values do not verify`
    return [`State is damaged: ${what}.${aside}`]
  }

  /** Whether what was written is there no more: somebody removed or cut the file while it was in use. */
  get vanished(): boolean { return this.end > 0 && (this.disk.stat(this.files.path('log'))?.size ?? 0) < this.end }

  /** Begins anew after that; what is left of the file is set aside. */
  startAnew(): void {
    if (this.files.has('log')) this.setAside(this.files.read('log'))
    this.close()
    this.end = 0
    this.values.clear()
    this.commits = []
    this.forgets = []
  }

  /** Copies a bad file under a name of its own content, so that it is kept once however often it is met. */
  private setAside(bytes: Buffer): string {
    const name = `log.corrupt-${sha256(bytes).toString('hex', 0, 6)}`
    if (!this.files.has(name)) this.disk.copy(this.files.path('log'), this.files.path(name))
    return this.files.path(name)
  }

  /** The bytes of a saved value, undefined when they are not there or not what was written. */
  payload(id: number): Buffer | undefined {
    const saved = this.values.get(id)
    if (saved === undefined) return undefined
    const bytes = saved.record.blob === true ? this.blobs.read(saved.record.hash) : this.readInline(saved)
    return bytes !== undefined && sha256(bytes).toString('hex') === saved.record.hash ? bytes : undefined
  }

  private readInline(saved: Saved): Buffer {
    const file = this.disk.open(this.files.path('log'), 'r')
    try { return this.disk.readAt(file, saved.to - saved.from, saved.from) } finally { this.disk.close(file) }
  }

  /** Makes folder and log when they are not there yet, and the log sound when it may not be. */
  private async ready(): Promise<number> {
    if (this.file !== null && !this.suspect) return this.file
    this.disk.makeFolder(this.files.path('blobs'))
    if (!this.files.has('.gitignore')) this.files.write('.gitignore', bytesOf('*\n'))
    this.close()
    if (!this.files.has('log') || this.end === 0) this.create()
    else if (this.suspect) await this.cut()
    this.file = this.disk.open(this.files.path('log'), 'r+')
    this.suspect = false
    return this.file
  }

  private create(): void {
    const header = encodeRecord({ type: 'header', format: FORMAT, made: this.made, at: now() })
    this.files.write('log.new', header)
    this.files.publish('log.new', 'log')
    this.end = header.length
  }

  /** Cuts a torn tail. A failed sync may have dropped pages that read back well, so the sound part is written anew. */
  private async cut(): Promise<void> {
    const sound = this.files.read('log').subarray(0, this.end)
    const file = this.disk.open(this.files.path('log.new'), 'w')
    try {
      await writeAllLater(this.disk, file, sound, 0, sound.length, 0)
      await this.disk.syncLater(file)
    } finally { this.disk.close(file) }
    this.files.publish('log.new', 'log')
  }

  /** Adds values and the commit that names them; durable when it resolves. Answers the ids, in order. */
  async append(values: readonly NewValue[], commit: (ids: number[]) => CommitRecord): Promise<{ ids: number[]; bytes: number }> {
    try {
      const file = await this.ready()
      for (const value of values) if (isBlob(value)) value.hash = await this.blobs.write(value.bytes, value.hash)
      const { pieces, added } = this.records(values)
      const ids = added.map(({ record }) => record.id)
      const last = commit(ids)
      pieces.push(encodeRecord(last))
      const buffer = concat(pieces)
      await this.write(file, buffer)
      this.end += buffer.length
      this.nextId += ids.length
      for (const saved of added) this.values.set(saved.record.id, saved)
      this.commits.push(last)
      return { ids, bytes: buffer.length + values.reduce((sum, value) => sum + (isBlob(value) ? value.bytes.length : 0), 0) }
    } catch (cause) {
      this.suspect = true
      this.dropTail()
      this.files.removeTemporary()
      throw cause
    }
  }

  private records(values: readonly NewValue[]): { readonly pieces: Buffer[]; readonly added: readonly Saved[] } {
    const pieces: Buffer[] = []
    const added: Saved[] = []
    let at = this.end
    for (const value of values) {
      const blob = isBlob(value)
      const record: ValueRecord = { ...value.record, id: this.nextId + added.length, hash: value.hash ?? sha256(value.bytes).toString('hex'), ...(blob && { blob }) }
      const encoded = encodeRecord(record, blob ? undefined : value.bytes)
      at += encoded.length
      pieces.push(encoded)
      added.push({ record, from: at - TAIL - (blob ? 0 : value.bytes.length), to: at - TAIL, sound: true })
    }
    return { pieces, added }
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

  /** What was not reported as saved should not be found there, as far as the disk still obeys. */
  private dropTail(): void {
    if (this.file !== null) try { this.disk.truncate(this.file, this.end) } catch { /* the next append writes the file anew */ }
  }

  /** Durable when it returns; when it throws, the name is still left out of the next log that is written. */
  forget(name: string, upTo: number): void {
    this.forgets = [...this.forgets, { type: 'forget', name, upTo }]
    this.files.write('forgotten.new', concat(this.forgets.map(record => encodeRecord(record))))
    this.files.publish('forgotten.new', 'forgotten')
  }

  /** Writes a new log of `records` in place of the old one, then removes blobs that it does not name. */
  async replace(records: readonly LogRecord[]): Promise<void> {
    const written = await writeLog(this.files, records, this.values)
    try { this.files.publish('log.new', 'log') } finally {
      // Also when the folder's sync failed: what is written next goes to the file that is there.
      if (!this.files.has('log.new')) this.adopt(written, records)
    }
    if (this.files.has('forgotten')) this.disk.remove(this.files.path('forgotten'))
    this.forgets = []
    this.collect()
  }

  /** Removes blobs that no value names. */
  collect(): void { this.blobs.keepOnly([...this.values.values()].map(({ record }) => record.hash)) }

  private adopt({ end, values }: Awaited<ReturnType<typeof writeLog>>, records: readonly LogRecord[]): void {
    this.close()
    this.end = end
    this.values.clear()
    for (const [id, saved] of values) this.values.set(id, saved)
    this.commits = records.filter(record => record.type === 'commit')
  }

  close(): void {
    if (this.file !== null) this.disk.close(this.file)
    this.file = null
  }
}
