// The modules of guest/store named here are the format of the files: pure code over node builtins, the same for whoever reads it.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Scan, scan } from '../../../guest/store/format.ts'
import { type Entry, generation, type History, history, latest, type Saved } from '../../../guest/store/history.ts'
import { misuse } from '../misuse.ts'

export interface SavedName {
  readonly name: string
  readonly type: string
  readonly size: number
  readonly hash: string
  readonly codec: string
  /** Which runtime wrote it. */
  readonly made: string
  /** Names it shares objects with. */
  readonly with: readonly string[]
  readonly bytes: 'sound' | 'damaged' | 'missing'
  readonly loss?: string
  /** Whether its bytes lie in a file of their own, not in the log. */
  readonly ownFile: boolean
}

export interface StateFolder {
  readonly path: string
  /** `sound`; `torn` when a last write was cut off, which costs nothing that was reported as saved; `damaged`. */
  readonly verdict: 'sound' | 'torn' | 'damaged' | 'empty' | 'newer'
  readonly problems: readonly string[]
  /** Whether a repair would change any of that. */
  readonly repairable: boolean
  readonly generations: readonly { readonly number: number; readonly savedAt: number; readonly parent: number; readonly names: number }[]
  /** The generation that is shown: the one asked for, or the last. */
  readonly generation: number
  readonly names: readonly SavedName[]
  readonly lost: readonly { readonly name: string; readonly reason: string }[]
  readonly aside: readonly string[]
}

/** Reads a state folder as it lies, changing nothing. */
export function readStateFolder(path: string, wanted: number | null): StateFolder {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw misuse(`'${path}' is not a state folder: there is no such folder. Name the one that --snapshot named.`)
  const bytes = readIfThere(join(path, 'log'))
  const found = scan(bytes)
  const forgets = scan(readIfThere(join(path, 'forgotten')))
  const read = history(found.found, forgets.found.flatMap(({ record }) => record.type === 'forget' ? [record] : []))
  const number = wanted ?? latest(read)
  const shown = number === 0 ? undefined : generation(read, number)
  if (wanted !== null && shown === undefined) throw misuse(`generation ${wanted} is not in '${path}'; it holds ${read.commits.map(commit => commit.generation).join(', ') || 'none'}`)
  const names = [...shown?.entries ?? []].map(([name, entry]) => describe(path, bytes, name, entry))
  const problems = [...problemsOf(found, bytes.length), ...forgets.rest === 'none' ? [] : ['the list of forgotten names does not verify'],
    ...names.filter(each => each.bytes !== 'sound').map(each => `the bytes of '${each.name}' are ${each.bytes}`)]
  return {
    path, problems, names, verdict: verdictOf(found, read, problems), generation: number,
    repairable: found.rest === 'damaged' || forgets.rest === 'torn' || forgets.rest === 'damaged' || mendable(names, number === latest(read)),
    generations: read.commits.map(commit => ({ number: commit.generation, savedAt: commit.at, parent: commit.parent, names: generation(read, commit.generation)?.entries.size ?? 0 })),
    lost: [...shown?.lost ?? []].map(([name, reason]) => ({ name, reason })),
    aside: readdirSync(path).filter(name => name.includes('.corrupt-')),
  }
}

const readIfThere = (path: string): Buffer => statSync(path, { throwIfNoEntry: false }) === undefined ? Buffer.alloc(0) : readFileSync(path)

function problemsOf(found: Scan, length: number): string[] {
  switch (found.rest) {
    case 'none': return []
    case 'torn': return [`the last write was cut off: ${length - found.end} bytes at the end belong to no generation`]
    case 'damaged': return [`${length - found.end} bytes from ${found.end} on do not verify; what follows them cannot be told`]
    case 'newer': return ['it was written by a newer version of this program']
  }
}

function verdictOf(found: Scan, read: History, problems: readonly string[]): StateFolder['verdict'] {
  if (found.rest === 'newer') return 'newer'
  if (found.rest === 'damaged' || problems.length > (found.rest === 'torn' ? 1 : 0)) return 'damaged'
  if (found.rest === 'torn') return 'torn'
  return latest(read) === 0 ? 'empty' : 'sound'
}

/** What is damaged in the last generation is dropped from it by a repair; of an earlier one a file can be set aside, no more. */
const mendable = (names: readonly SavedName[], last: boolean): boolean => names.some(({ bytes, ownFile }) => last ? bytes !== 'sound' : bytes === 'damaged' && ownFile)

function describe(path: string, log: Buffer, name: string, { saved, part }: Entry): SavedName {
  const { record } = saved
  const loss = record.losses?.find(([lossy]) => lossy === name)?.[1]
  return {
    name, type: record.types[part] ?? 'unknown', size: record.size, hash: record.hash, codec: record.codec, made: record.made,
    with: record.names.filter(other => other !== name), bytes: bytesOf(path, log, saved), ownFile: record.blob === true, ...(loss !== undefined && { loss }),
  }
}

function bytesOf(path: string, log: Buffer, { record, from, to }: Saved): SavedName['bytes'] {
  const file = join(path, 'blobs', record.hash)
  if (record.blob === true && statSync(file, { throwIfNoEntry: false }) === undefined) return 'missing'
  const bytes = record.blob === true ? readFileSync(file) : log.subarray(from, to)
  return createHash('sha256').update(bytes).digest('hex') === record.hash ? 'sound' : 'damaged'
}
