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

/** What the runtimes carry for a cell. Node 20 leaves it on every promise, where cells can see it: it tells and opens nothing. */
type Token = object

const { apply } = Reflect
const { get, set } = WeakMap.prototype
const { create, freeze } = Object
const cells = new WeakMap<Token, CellContext>()
const tokens = new WeakMap<CellContext, Token>()

// Its methods call each other, and a cell may replace those of the prototype.
const storage = keepMethods(new AsyncLocalStorage<Token>())
const getStore = storage.getStore.bind(storage)
const runWith = storage.run.bind(storage)

/** The cell whose code is running now, by async context; undefined when none is known. */
export function currentCell(): CellContext | undefined {
  const token = getStore()
  return token === undefined ? undefined : apply(get, cells, [token]) as CellContext | undefined
}

/** Runs `work` as part of `cell`; whatever it starts belongs to that cell, too. */
export const runInCell = <T>(cell: CellContext | undefined, work: () => T): T => runWith(cell === undefined ? undefined as unknown as Token : tokenOf(cell), work)

function tokenOf(cell: CellContext): Token {
  const known = apply(get, tokens, [cell]) as Token | undefined
  if (known !== undefined) return known
  const made = freeze(create(null) as object)
  apply(set, tokens, [cell, made])
  apply(set, cells, [made, cell])
  return made
}

let entered = 0
/** A listener or a callback of a cell is called from outside. */
export const noteEntry = (): void => { entered++ }
/** How often that has happened: who remembers the number can tell that code of cells ran. */
export const entriesOfCells = (): number => entered
