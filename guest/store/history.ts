/** What a log says, generation by generation: pure, shared by the guest and the command that reads states. */
import type { CommitRecord, ForgetRecord, Found, ValueRecord } from './format.ts'

/** A value as the log has it. */
export interface Saved {
  readonly record: ValueRecord
  /** Where its bytes lie in the log; unused for blobs. */
  readonly from: number
  readonly to: number
  readonly sound: boolean
}
/** One name of a generation: which value, and which part of it. */
export interface Entry { readonly saved: Saved; readonly part: number }
export interface Generation {
  readonly number: number
  readonly parent: number
  readonly at: number
  readonly cell: number
  readonly entries: ReadonlyMap<string, Entry>
  readonly lost: ReadonlyMap<string, string>
  /** The cell that last used a value which was not written again, by id. */
  readonly used: ReadonlyMap<number, number>
}

export interface History {
  readonly values: ReadonlyMap<number, Saved>
  readonly commits: readonly CommitRecord[]
  readonly forgotten: ReadonlyMap<string, number>
}

/** Gathers the records of a log and of its list of forgotten names. */
export function history(found: readonly Found[], forgets: readonly ForgetRecord[]): History {
  const values = new Map<number, Saved>()
  const commits: CommitRecord[] = []
  const forgotten = new Map<string, number>()
  for (const { record, bytes, sound } of found) {
    if (record.type === 'value') values.set(record.id, { record, ...bytes, sound })
    else if (record.type === 'commit') commits.push(record)
  }
  for (const { name, upTo } of forgets) forgotten.set(name, Math.max(upTo, forgotten.get(name) ?? 0))
  return { values, commits, forgotten }
}

/** The number of the last generation; 0 when there is none. */
export const latest = ({ commits }: History): number => commits.at(-1)?.generation ?? 0

/** What a generation holds; undefined when the log does not have it. */
export function generation(history: History, number: number): Generation | undefined {
  const line = lineage(history, number)
  const last = line?.at(-1)
  if (line === undefined || last === undefined) return undefined
  const entries = new Map<string, Entry>()
  const lost = new Map<string, string>()
  const used = new Map<number, number>()
  for (const commit of line) {
    apply(history, commit, entries, lost)
    for (const id of commit.used) used.set(id, commit.cell)
  }
  for (const [name, upTo] of history.forgotten) {
    if (upTo < commitOf(line, name, history)) continue
    entries.delete(name)
    lost.delete(name)
  }
  return { number, parent: last.parent, at: last.at, cell: last.cell, entries, lost, used }
}

/** The commits that lead to a generation, oldest first. */
function lineage({ commits }: History, number: number): CommitRecord[] | undefined {
  const byNumber = new Map(commits.map(commit => [commit.generation, commit]))
  const line: CommitRecord[] = []
  for (let at = number; at !== 0;) {
    const commit = byNumber.get(at)
    if (commit === undefined || commit.parent >= at) return undefined
    line.push(commit)
    at = commit.parent
  }
  return line.reverse()
}

function apply({ values }: History, commit: CommitRecord, entries: Map<string, Entry>, lost: Map<string, string>): void {
  for (const id of commit.values) {
    const saved = values.get(id)
    saved?.record.names.forEach((name, part) => {
      entries.set(name, { saved, part })
      lost.delete(name)
    })
  }
  for (const name of commit.gone) {
    entries.delete(name)
    lost.delete(name)
  }
  for (const [name, reason] of commit.lost) {
    entries.delete(name)
    lost.set(name, reason)
  }
}

/** The last generation of a line that set a name. */
function commitOf(line: readonly CommitRecord[], name: string, { values }: History): number {
  return line.findLast(commit => commit.lost.some(([lost]) => lost === name) || commit.values.some(id => values.get(id)?.record.names.includes(name)))?.generation ?? 0
}
