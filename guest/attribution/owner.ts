import { type CellContext, currentCell, noteEntry, runInCell } from '../context.ts'

/** Any function of a cell, as the wrappers here see it. */
// `any`: a listener's parameters are the event's own; the wrapper passes them on untouched.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Listener = (this: any, ...args: any[]) => unknown

const { apply } = Reflect

/** `listener` as part of `cell`, whoever calls it. Only the cell's context is set: other async storage stays as it is. */
export function owned(cell: CellContext, listener: Listener): Listener {
  return function (this: unknown, ...args: unknown[]) {
    noteEntry()
    const run = (): unknown => apply(listener, this, args)
    return currentCell() === cell ? run() : runInCell(cell, run)
  }
}

/** `listener` as part of the cell that runs now; itself when there is none. */
export function ownedHere<T>(listener: T): T {
  const cell = currentCell()
  return cell === undefined || typeof listener !== 'function' ? listener : owned(cell, listener as unknown as Listener) as unknown as T
}
