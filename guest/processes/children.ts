import type { CellRef } from '../protocol.ts'

/** A running process that a cell started. */
export interface Child {
  readonly pid: number
  /** It leads a group of its own. */
  readonly detached: boolean
  /** Reads what the child has written so far; a promise where the runtime cannot do so at once. */
  drain(): Promise<void> | undefined
}

const kill = process.kill.bind(process)
const { setTimeout } = globalThis
const all = Promise.all.bind(Promise)
/** How long a child has to end by itself after SIGTERM. */
const TERM_GRACE_MS = 800

/** The children of each cell, from their start to their exit. */
export class Children {
  private readonly byCell = new Map<number, Set<Child>>()

  add(cell: number, child: Child): void {
    const set = this.byCell.get(cell)
    if (set === undefined) this.byCell.set(cell, new Set([child]))
    else set.add(child)
  }

  remove(cell: number, child: Child): void {
    const set = this.byCell.get(cell)
    set?.delete(child)
    if (set?.size === 0) this.byCell.delete(cell)
  }

  of(cell: CellRef): readonly Child[] { return [...this.byCell.get(cell.number) ?? []] }

  /** Asks a cell's children to end, and makes those end that do not. */
  end(cell: CellRef): void {
    const children = this.of(cell)
    if (children.length === 0) return
    for (const child of children) signal(child, 'SIGTERM')
    setTimeout(() => {
      for (const child of children) if (this.byCell.get(cell.number)?.has(child)) signal(child, 'SIGKILL')
    }, TERM_GRACE_MS)
  }

  /** Brings out what a cell's children have written; undefined when that is done at once. */
  drain(cell: CellRef): Promise<void> | undefined {
    const pending = this.of(cell).map(child => child.drain()).filter(work => work !== undefined)
    return pending.length === 0 ? undefined : all(pending).then(() => {})
  }
}

function signal(child: Child, name: NodeJS.Signals): void {
  try {
    kill(child.detached ? -child.pid : child.pid, name)
  } catch {
    // Gone already, or no longer ours to signal.
  }
}
