import type { Loss, NameReason } from '../protocol.ts'
import type { Files } from './files.ts'
import { bytesOf, isArray, parse, SafeMap, stringify } from './safe.ts'

const FILE = 'told'

/** Losses that a restore has told of, kept beside the log: each is told once, not at every start for ever. */
export class ToldLosses {
  private readonly files: Files
  private readonly mayWrite: () => boolean
  private told: SafeMap<string, string> | null = null
  private telling: SafeMap<string, string> | null = null

  constructor(files: Files, mayWrite: () => boolean) {
    this.files = files
    this.mayWrite = mayWrite
  }

  /** Marks what was told before; all of it is once it was delivered. */
  tell(losses: readonly NameReason[]): Loss[] {
    const before = this.read()
    const marked = losses.map(({ name, reason }): Loss => before.get(name) === reason ? { name, reason, told: true } : { name, reason })
    const after = new SafeMap(losses.map(({ name, reason }) => [name, reason] as const))
    if (marked.some(({ told }) => told !== true) || before.size !== after.size) this.telling = after
    return marked
  }

  /** A cell has ended, and what was to be told went out with its result. */
  delivered(): void {
    if (this.telling === null) return
    this.write(this.telling)
    this.telling = null
  }

  /** Names that have a value again, or are gone: another loss of theirs is news. */
  over(names: Iterable<string>): void {
    const told = this.read()
    let isLess = false
    for (const name of names) {
      this.telling?.delete(name)
      isLess = told.delete(name) || isLess
    }
    if (isLess) this.write(told)
  }

  private read(): SafeMap<string, string> { return this.told ??= readTold(this.files) }

  /** Losses that are told twice harm nobody: a folder that cannot be written is no reason to fail. */
  private write(told: SafeMap<string, string>): void {
    this.told = told
    if (!this.mayWrite()) return
    try {
      if (told.size > 0) this.files.write(FILE, bytesOf(stringify([...told])))
      else if (this.files.has(FILE)) this.files.disk.remove(this.files.path(FILE))
    } catch { /* as said */ }
  }
}

function readTold(files: Files): SafeMap<string, string> {
  const told = new SafeMap<string, string>()
  try {
    const found: unknown = parse(files.read(FILE).toString('utf8') || '[]')
    for (const entry of isArray(found) ? found as unknown[] : []) if (isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'string') told.set(entry[0], entry[1])
  } catch { /* a damaged one says nothing */ }
  return told
}
