import type { CellRef } from '../protocol.ts'
import { type ProcessParts, Spawning } from './spawning.ts'
import { markWorkers, trackWorkers } from './workers.ts'

/** What the guest asks of the processes its cells start. */
export interface Processes {
  /** Told of a cell's text before it runs. */
  prepare(source: string): void
  /** Ends the children and worker threads of a cell: children are asked first, and made to when they do not. */
  endChildrenOf(cell: CellRef): void
  /** Brings out what a cell's children have written so far, before the cell's end is reported. */
  drain(cell: CellRef): Promise<void>
}

/**
 * Wraps every way to start a process, once, before the first cell: children never get the guest's own descriptors,
 * their output is printed on the cell that started them, and each carries that cell's mark in its environment.
 */
export async function installProcesses(parts: ProcessParts): Promise<Processes> {
  const spawning = new Spawning(parts)
  if ('Bun' in globalThis) (await import('./bun.ts')).wrapBun(spawning)
  else (await import('./node.ts')).wrapNode(spawning)
  const endWorkers = trackWorkers()
  return {
    prepare: markWorkers(spawning),
    endChildrenOf: cell => {
      spawning.children.end(cell)
      endWorkers(cell)
    },
    drain: async cell => { await spawning.children.drain(cell) },
  }
}
export type { ProcessParts }
