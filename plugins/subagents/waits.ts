import type { ChildView } from './records/status.ts'
import { type ChildRecord, isSettled } from './records/record.ts'

/** How often a child that another instance looks after is looked at. */
const FOREIGN_LOOK_MS = 200
const LONGEST_LOOK_MS = 60_000
/** What an owner that lives may need from the exit of a child's process to its last record. */
const LAST_RECORD_MS = 5_000

/** What waiting needs to know of a family. */
export interface Watched {
  /** How a child stands now. */
  current(id: string): ChildView
  /** Whether this process looks after it, and so hears of its end. */
  isOurs(id: string): boolean
  /** Whether whoever looks after it lives, and so will write how it ended. */
  hasOwner(record: ChildRecord): boolean
  onChange(listener: (record: ChildRecord) => void): () => void
}

/** The waits of cells for children. */
export class Waits {
  private readonly family: Watched
  private readonly open = new Set<readonly string[]>()

  constructor(family: Watched) { this.family = family }

  /** Resolves when one or all of the children have ended; with what is known when the time is over or the signal fires. */
  async wait(ids: readonly string[], any: boolean, timeoutMs: number, signal: AbortSignal): Promise<ChildView[]> {
    const until = timeoutMs > 0 ? Date.now() + timeoutMs : Infinity
    this.open.add(ids)
    try { return await this.ended(ids, any, until, signal) } finally { this.open.delete(ids) }
  }

  /** Whether a cell waits for this child, and so need not be told of its end. */
  isAwaited(id: string): boolean { return [...this.open].some(ids => ids.includes(id)) }

  private async ended(ids: readonly string[], any: boolean, until: number, signal: AbortSignal): Promise<ChildView[]> {
    const lostSince = new Map<string, number>()
    for (;;) {
      const views = ids.map(id => this.family.current(id))
      const open = views.filter(view => !this.isOver(view, lostSince))
      if (open.length === 0 || (any && open.length < views.length) || signal.aborted || Date.now() >= until) return views
      const foreign = open.some(view => !this.family.isOurs(view.record.id))
      await this.change(ids, Math.min(foreign ? FOREIGN_LOOK_MS : LONGEST_LOOK_MS, until - Date.now()), signal)
    }
  }

  /** A child reads as lost from the exit of its process to the last record its owner writes: that is no end yet. */
  private isOver({ record, status }: ChildView, lostSince: Map<string, number>): boolean {
    if (status !== 'lost' || !this.family.hasOwner(record)) return isSettled(status)
    const since = lostSince.get(record.id) ?? Date.now()
    lostSince.set(record.id, since)
    return Date.now() - since >= LAST_RECORD_MS
  }

  private change(ids: readonly string[], limitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer)
        stop()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, Math.max(1, limitMs))
      const stop = this.family.onChange(record => { if (record.finished_at !== undefined && ids.includes(record.id)) done() })
      signal.addEventListener('abort', done, { once: true })
    })
  }
}
