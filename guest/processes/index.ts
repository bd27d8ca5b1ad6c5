import type { CellRef } from '../protocol.ts'
import { type ProcessParts, Spawning } from './spawning.ts'

/** What the guest asks of the processes its cells start. */
export interface Processes {
  /** Ends the children of a cell: asked first, made to when they do not. */
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
  // Bun's child_process is built on Bun.spawn, so the module need not be loaded there.
  if ('Bun' in globalThis) (await import('./bun.ts')).wrapBun(spawning)
  else (await import('./node.ts')).wrapNode(spawning)
  return {
    endChildrenOf: cell => spawning.children.end(cell),
    drain: async cell => { await spawning.children.drain(cell) },
  }
}
export type { ProcessParts }
