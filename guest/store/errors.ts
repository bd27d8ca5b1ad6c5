import type { SavedFrame } from '../protocol.ts'

/** What can go wrong with kept state; tell apart by `code`. */
export type StateCode =
  | 'STATE_LOCKED' | 'STATE_NOT_RESTORED' | 'STATE_WRITE_FAILED' | 'STATE_UNREADABLE' | 'STATE_NO_GENERATION' | 'STATE_CLOSED'
  | 'VALUE_HELD' | 'VALUE_LOST' | 'VALUE_DAMAGED'

/** A saved value or the whole state cannot be used as asked. */
export class StateError extends Error {
  override readonly name = 'StateError'
  readonly code: StateCode
  constructor(code: StateCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** The answer to reading a name whose value was saved, but cannot be read now. */
export const valueHeld = (name: string, reason: string, cause?: unknown): StateError =>
  new StateError('VALUE_HELD', `'${name}' is kept on disk but cannot be read: ${reason}. It stays there until it can, or until rlm.forget('${name}') or a new value.`, cause)

/** The answer to reading a name whose value could not be saved. */
export const valueLost = (name: string, reason: string): StateError =>
  new StateError('VALUE_LOST', `'${name}' did not survive the restart: ${reason}. Make it again.`)

/** The report of a store that keeps nothing. */
export const NOTHING_KEPT: SavedFrame = { generation: 0, names: { all: true, added: [], removed: [] }, written: [], failed: [], lossy: [], stale: { all: true, added: [], removed: [] }, bytes: 0 }
