import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Disk } from '../../../guest/store/disk.ts'
import { type Generation, generation, type Saved } from '../../../guest/store/history.ts'
import type { Log } from '../../../guest/store/log.ts'

const REASON = 'was lost: its bytes on disk were damaged or missing'

/** Sets aside the files of values that are not what was written, and adds a generation that is without them. Answers what it did. */
export async function dropDamaged(folder: string, log: Log, disk: Disk): Promise<string[]> {
  const damaged = [...log.values.values()].filter(({ record }) => log.payload(record.id) === undefined)
  const files = new Set(damaged.filter(({ record }) => record.blob === true).map(({ record }) => record.hash))
  const done = [...files].flatMap(hash => setAside(folder, hash, disk))
  const base = lastWhole(log)
  const lost = base === undefined ? [] : namesOf(base, new Set(damaged))
  if (base === undefined || lost.length === 0) return done
  const next = log.latest + 1
  await log.append([], () => ({ type: 'commit', generation: next, parent: base.number, at: Date.now(), cell: base.cell, values: [], used: [], gone: [], lost: lost.map(name => [name, REASON] as const) }))
  return [...done, `Generation ${next} goes on without ${lost.join(', ')}: the bytes are damaged or missing.`]
}

/** The name says whose file it was and what is in it: nothing that was set aside before is overwritten. */
function setAside(folder: string, hash: string, disk: Disk): string[] {
  const file = join(folder, 'blobs', hash)
  if (disk.stat(file) === undefined) return []
  const name = `blob-${hash.slice(0, 12)}.corrupt-${createHash('sha256').update(disk.read(file)).digest('hex').slice(0, 12)}`
  disk.rename(file, join(folder, name))
  return [`Set aside a damaged value as ${name}.`]
}

/** The generation a notebook would come back from. */
function lastWhole(log: Log): Generation | undefined {
  const { history } = log.reopened()
  for (const commit of [...history.commits].reverse()) {
    const found = generation(history, commit.generation)
    if (found !== undefined) return found
  }
  return undefined
}

const namesOf = ({ entries }: Generation, damaged: ReadonlySet<Saved>): string[] =>
  [...entries].filter(([, { saved }]) => damaged.has(saved)).map(([name]) => name)
