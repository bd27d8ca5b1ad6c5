import { type Hook, SyncBailHook, SyncWaterfallHook } from 'tapable'
import type { CellRef } from './protocol.ts'
import { blame } from './blame.ts'

/** What a serializer plugin is told about a saved value before it is read back. */
export interface SavedEntry { readonly name: string; readonly codec: string; readonly bytes: number; readonly idleCells: number }

/** The hooks of the guest side. `beforeTransform` shapes a cell's text; `onRestore` may leave a saved value unread. */
export const createGuestHooks = () => blame({
  beforeTransform: new SyncWaterfallHook<[source: string, cell: CellRef]>(['source', 'cell']),
  /** Lazy restore cannot be written without it: only the restorer knows a value's size before reading it. */
  onRestore: new SyncBailHook<[entry: SavedEntry], 'defer' | undefined>(['entry']),
})
export type GuestHooks = ReturnType<typeof createGuestHooks>
export type AnyHook = Pick<Hook<unknown, unknown>, 'intercept'>
