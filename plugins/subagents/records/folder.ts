import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ChildRecord, parseRecord } from './record.ts'

/** The files of one child. */
export interface ChildPaths {
  readonly record: string
  readonly prompt: string
  readonly output: string
  /** What it says while it runs; renamed to `output` or `partial` at its end. */
  readonly spool: string
  readonly partial: string
  readonly stderr: string
  readonly handover: string
  readonly inputs: string
  /** Another instance asks the owner to end this child. */
  readonly stop: string
}

interface Cached { readonly stamp: string; readonly record: ChildRecord }
interface Listing { readonly stamp: string; readonly records: readonly ChildRecord[] }

/** Clocks of file systems tick in milliseconds: a folder that changed this recently may change again unseen. */
const SETTLE_MS = 50

/** The records one process keeps of its own children: `<state>/subagents`. Readers see whole records or none. */
export class RecordFolder {
  readonly path: string
  private readonly cache = new Map<string, Cached>()
  private readonly live: (id: string) => ChildRecord | undefined
  private listing: Listing | null = null
  private prepared = false

  /** `live` answers with the record of a child this process looks after, which is newer than its file. */
  constructor(path: string, live: (id: string) => ChildRecord | undefined = () => undefined) {
    this.path = path
    this.live = live
  }

  /** Makes the folder, private and ignored by git; harmless when it is there. */
  prepare(): void {
    if (this.prepared && existsSync(this.path)) return
    mkdirSync(this.path, { recursive: true, mode: 0o700 })
    try { writeFileSync(join(this.path, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }) } catch { /* it is there */ }
    this.prepared = true
  }

  paths(id: string): ChildPaths {
    const at = (extension: string) => join(this.path, `${id}.${extension}`)
    return {
      record: at('json'), prompt: at('prompt.md'), output: at('md'), spool: at('spool'), partial: at('partial.md'),
      stderr: at('stderr.log'), handover: at('handover'), inputs: at('inputs'), stop: at('stop'),
    }
  }

  /** Writes a record so that no reader ever meets half of it. Throws when the disk refuses. */
  write(record: ChildRecord): void {
    replaceFile(this.paths(record.id).record, JSON.stringify(record))
    this.cache.delete(`${record.id}.json`)
    this.listing = null
  }

  /** One record; undefined when there is none, or none that can be read. */
  read(id: string): ChildRecord | undefined { return this.load(`${id}.json`) }

  /** Every readable record, oldest first. What did not change is not read again. */
  list(): readonly ChildRecord[] {
    const folder = statSync(this.path, { throwIfNoEntry: false })
    if (folder === undefined) return []
    const stamp = `${folder.ino} ${folder.mtimeMs}`
    // Each change of a record is a rename in this folder, and so a change of the folder.
    if (this.listing?.stamp === stamp) return this.listing.records
    const records = this.readAll()
    this.listing = Date.now() - folder.mtimeMs > SETTLE_MS ? { stamp, records } : null
    return records
  }

  private readAll(): ChildRecord[] {
    const files = new Set(namesIn(this.path).filter(name => name.endsWith('.json') && !name.startsWith('.')))
    for (const file of this.cache.keys()) if (!files.has(file)) this.cache.delete(file)
    const records = [...files].map(file => this.load(file)).filter(record => record !== undefined)
    return records.sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
  }

  private load(file: string): ChildRecord | undefined {
    try {
      const live = this.live(file.slice(0, -'.json'.length))
      if (live !== undefined) return live
      const path = join(this.path, file)
      const before = this.cache.get(file)
      // A record that has settled does not change any more, but by `write`.
      if (before?.record.finished_at !== undefined) return before.record
      // A record is never changed in place: each state is a file of its own, with its own inode.
      const { ino, mtimeMs, size } = statSync(path)
      const stamp = `${ino} ${mtimeMs} ${size}`
      if (before?.stamp === stamp) return before.record
      const record = parseRecord(readFileSync(path, 'utf8'))
      if (record !== undefined && `${record.id}.json` === file) this.cache.set(file, { stamp, record })
      else this.cache.delete(file)
      return this.cache.get(file)?.record
    } catch { return undefined }
  }
}

/** Replaces a file in one step, under a name no other writer can have chosen. */
export function replaceFile(path: string, text: string): void {
  const staged = `${path}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`
  try {
    writeFileSync(staged, text, { mode: 0o600, flag: 'wx' })
    renameSync(staged, path)
  } catch (cause) {
    rmSync(staged, { force: true })
    throw cause
  }
}

function namesIn(folder: string): string[] {
  try { return readdirSync(folder) } catch { return [] }
}
