import { AsyncLocalStorage } from 'node:async_hooks'
import { keepMethods } from './keep-methods.ts'
import type { CellRef, Channel } from './protocol.ts'

/** A cell as the code it started can see it: carried by async context, so it outlives the cell. */
export interface CellContext extends CellRef {
  readonly source: string
  /** Fires when the cell is cancelled. */
  readonly signal: AbortSignal
  /** `running` until its end was reported; `aborted` for good once it was cancelled. */
  state: 'running' | 'over' | 'aborted'
  print(channel: Channel, text: string | Uint8Array): void
}

// Its methods call each other, and a cell may replace those of the prototype.
const storage = keepMethods(new AsyncLocalStorage<CellContext>())
const getStore = storage.getStore.bind(storage)
const runWith = storage.run.bind(storage)

/** The cell whose code is running now, by async context; undefined when none is known. */
export const currentCell = (): CellContext | undefined => getStore()

/** Runs `work` as part of `cell`; whatever it starts belongs to that cell, too. */
export const runInCell = <T>(cell: CellContext | undefined, work: () => T): T => runWith(cell as CellContext, work)
