import { dirname, join } from 'node:path'
import { RecordFolder } from './folder.ts'
import { type ChildRecord, isSettled, type SeenStatus, type Usage } from './record.ts'

/** A child with its own children, as read from disk. */
export interface TreeNode {
  readonly record: ChildRecord
  readonly status: SeenStatus
  readonly children: readonly TreeNode[]
}

/** What the limits of a tree are counted against. */
export interface TreeTotals {
  /** Every child ever admitted. */
  readonly admitted: number
  /** Children at work; one that waits for children of its own lends them its place. */
  readonly working: number
  readonly tokens: number
  readonly cost: number
}

/** The name of the folder with records, under the folder of a session or child. */
const RECORDS = 'subagents'

/**
 * Reads the whole tree of a session: its own records, and for each child the folder of the same name as the child.
 * No process is asked, so it works after all of them have ended.
 */
export class TreeReader {
  private readonly base: string
  private readonly look: (record: ChildRecord) => SeenStatus
  private readonly folders = new Map<string, RecordFolder>()
  /** Settled children without children of their own; they stay so. */
  private readonly leaves = new WeakMap<ChildRecord, TreeNode>()
  /** A process that is gone stays gone. */
  private readonly lost = new WeakSet<ChildRecord>()

  /**
   * `base` holds one folder for each session and child; `look` says how a child stands. The process that looks after a
   * child knows better than a look at its process does: between the exit and the last record it is not lost. `own` is
   * the folder of that process, which has its records in memory.
   */
  constructor(base: string, look: (record: ChildRecord) => SeenStatus, own?: { readonly session: string; readonly folder: RecordFolder }) {
    this.base = base
    this.look = look
    if (own !== undefined) this.folders.set(own.session, own.folder)
  }

  /** The children of a session or child, with theirs below. A folder that is met twice is not entered again. */
  read(session: string, seen: ReadonlySet<string> = new Set()): TreeNode[] {
    if (seen.has(session)) return []
    const inside = new Set([...seen, session])
    return this.folder(session).list().map(record => this.leaves.get(record) ?? this.node(record, inside))
  }

  private node(record: ChildRecord, inside: ReadonlySet<string>): TreeNode {
    const status = this.lost.has(record) ? 'lost' : this.look(record)
    if (status === 'lost') this.lost.add(record)
    const node = { record, status, children: this.read(record.id, inside) }
    if (isSettled(status) && node.children.length === 0) this.leaves.set(record, node)
    return node
  }

  private folder(session: string): RecordFolder {
    let folder = this.folders.get(session)
    if (folder === undefined) this.folders.set(session, folder = new RecordFolder(recordsOf(this.base, session)))
    return folder
  }
}

/** Where a session or child keeps the records of its children. */
export const recordsOf = (base: string, session: string): string => join(base, session, RECORDS)

/** The base and session a records folder belongs to. */
export const placeOf = (records: string): { readonly base: string; readonly session: string } => {
  const own = dirname(records)
  return { base: dirname(own), session: own.slice(dirname(own).length + 1) }
}

/** Counts a tree for its limits. */
export function totalsOf(nodes: readonly TreeNode[]): TreeTotals {
  let total: TreeTotals = { admitted: 0, working: 0, tokens: 0, cost: 0 }
  for (const node of nodes) {
    const below = totalsOf(node.children)
    const lends = node.children.some(child => child.status === 'queued' || child.status === 'running')
    total = {
      admitted: total.admitted + below.admitted + 1,
      working: total.working + below.working + (node.status === 'running' && !lends ? 1 : 0),
      tokens: total.tokens + below.tokens + billedTokens(node.record.usage),
      cost: total.cost + below.cost + (node.record.usage?.cost ?? 0),
    }
  }
  return total
}

/** Tokens that are paid for. */
export const billedTokens = (usage: Usage | undefined): number =>
  usage === undefined ? 0 : usage.input + usage.output + usage.cache_read + usage.cache_write
