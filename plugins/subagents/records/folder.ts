import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
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

/** The records one process keeps of its own children: `<state>/subagents`. Readers see whole records or none. */
export class RecordFolder {
  readonly path: string
  private readonly cache = new Map<string, Cached>()

  constructor(path: string) { this.path = path }

  /** Makes the folder, private and ignored by git; harmless when it is there. */
  prepare(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 })
    try { writeFileSync(join(this.path, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }) } catch { /* it is there */ }
  }

  paths(id: string): ChildPaths {
    const at = (extension: string) => join(this.path, `${id}.${extension}`)
    return {
      record: at('json'), prompt: at('prompt.md'), output: at('md'), spool: at('spool'), partial: at('partial.md'),
      stderr: at('stderr.log'), handover: at('handover'), inputs: at('inputs'), stop: at('stop'),
    }
  }

  /** Writes a record so that no reader ever meets half of it. Throws when the disk refuses. */
  write(record: ChildRecord): void { replaceFile(this.paths(record.id).record, JSON.stringify(record)) }

  /** One record; undefined when there is none, or none that can be read. */
  read(id: string): ChildRecord | undefined { return this.load(`${id}.json`) }

  /** Every readable record, oldest first. Files that did not change are not read again. */
  list(): ChildRecord[] {
    const files = new Set(namesIn(this.path).filter(name => name.endsWith('.json') && !name.startsWith('.')))
    for (const file of this.cache.keys()) if (!files.has(file)) this.cache.delete(file)
    const records = [...files].map(file => this.load(file)).filter(record => record !== undefined)
    return records.sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
  }

  private load(file: string): ChildRecord | undefined {
    try {
      const path = join(this.path, file)
      // A record is never changed in place: each state is a file of its own, with its own inode.
      const { ino, mtimeMs, size } = statSync(path)
      const stamp = `${ino} ${mtimeMs} ${size}`
      const known = this.cache.get(file)
      if (known?.stamp === stamp) return known.record
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
