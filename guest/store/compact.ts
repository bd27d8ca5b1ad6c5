/** What a compact log holds: the last generations in full, of which nothing forgotten remains. Pure. */
import { type CommitRecord, FORMAT, type LogRecord, type ValueRecord } from './format.ts'
import { generation, type History, history, latest, type Saved } from './history.ts'
import type { Log } from './log.ts'

/** Older generations are kept as long as they add no more than the last one holds, or this. */
const KEPT_BYTES = 1 << 20
const KEPT_GENERATIONS = 200

/** The records of the new log, in order. */
export function compacted(log: Pick<Log, 'values' | 'commits' | 'forgotten'>, made: string): LogRecord[] {
  const all: History = { ...history([], log.forgotten), values: log.values, commits: log.commits }
  const kept = keptCommits(all)
  const first = kept[0]?.generation ?? 0
  const commits = kept.map(commit => withoutForgotten(all, commit.parent !== 0 && commit.parent < first ? asBase(all, commit) : commit))
  const records: LogRecord[] = [{ type: 'header', format: FORMAT, made, at: commits.at(-1)?.at ?? 0 }]
  const written = new Set<number>()
  for (const commit of commits) {
    for (const id of commit.values) {
      if (written.has(id)) continue
      written.add(id)
      records.push((all.values.get(id) as Saved).record)
    }
    records.push(commit)
  }
  return records
}

function keptCommits(all: History): CommitRecord[] {
  const last = generation(all, latest(all))
  const live = new Set([...last?.entries.values() ?? []].map(({ saved }) => saved.record))
  let room = Math.max(KEPT_BYTES, [...live].reduce((sum, { size }) => sum + size, 0))
  const kept: CommitRecord[] = []
  for (const commit of [...all.commits].reverse()) {
    const records = commit.values.map(id => all.values.get(id)?.record).filter(record => record !== undefined)
    if (kept.length > 0) {
      room -= records.reduce((sum, record) => sum + (live.has(record) ? 0 : record.size), 0)
      if (room < 0 || kept.length >= KEPT_GENERATIONS || records.some(record => isTainted(all, record, commit))) break
    }
    kept.unshift(commit)
  }
  return kept
}

const isForgotten = (all: History, name: string, since: number): boolean => (all.forgotten.get(name) ?? 0) >= since
/** Bytes of several names, one of them forgotten: they cannot be kept in part. */
const isTainted = (all: History, record: ValueRecord, { generation }: CommitRecord): boolean => record.names.length > 1 && record.names.some(name => isForgotten(all, name, generation))

/** The same generation, told without those before it. */
function asBase(all: History, commit: CommitRecord): CommitRecord {
  const whole = generation(all, commit.generation)
  if (whole === undefined) return commit
  const ids = [...new Set([...whole.entries.values()].map(({ saved }) => saved.record.id))].sort((a, b) => a - b)
  const named = new Set(ids.flatMap(id => all.values.get(id)?.record.names ?? []))
  return { ...commit, parent: 0, values: ids, used: [...whole.used.keys()].filter(id => ids.includes(id)), gone: [...named].filter(name => !whole.entries.has(name)), lost: [...whole.lost] }
}

function withoutForgotten(all: History, commit: CommitRecord): CommitRecord {
  const stays = (id: number): boolean => {
    const record = all.values.get(id)?.record
    const [name, another] = record?.names ?? []
    return name !== undefined && (another !== undefined || !all.forgotten.has(name) || !isForgotten(all, name, generationOf(all, id)))
  }
  return { ...commit, values: commit.values.filter(stays), used: commit.used.filter(stays), lost: commit.lost.filter(([name]) => !isForgotten(all, name, commit.generation)) }
}

const generationOf = (all: History, id: number): number => all.commits.find(({ values }) => values.includes(id))?.generation ?? 0
