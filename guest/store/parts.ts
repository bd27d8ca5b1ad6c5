import type { Serializer, StateLimits } from '../guest.ts'
import type { GuestHooks } from '../hooks.ts'
import type { Box, Namespace } from '../namespace.ts'
import type { RestoreReport, SavedFrame } from '../protocol.ts'
import type { Disk } from './disk.ts'
import type { Machine } from './lock.ts'
import type { Origins } from './origins.ts'
import type { Loader } from './reimport.ts'

/** Keeps the notebook's names on disk. */
export interface Store {
  /** Saves what was touched since the last save; called between cells. Rejects when nothing could be kept. */
  save(): Promise<SavedFrame>
  /** Brings a generation back, the latest for null, none of them for 0; null when there is none. */
  restore(generation: number | null): Promise<RestoreReport | null>
  /** A name is gone for good: durable at once. `Namespace.forget` leads here by itself. */
  forgotten(name: string): void
  /** Moves the clock on; called before each cell. */
  cell(): void
  /** Called after each cell: what it may hold is looked at in idle time. */
  cellEnded(): void
  /** Imports again what a cell names, before its text is shaped; undefined when there is nothing to do. */
  prepare(source: string): Promise<unknown> | undefined
  /** What is known of a name without reading it: the kind of a saved value and its size on disk. */
  about(name: string): { readonly type: string; readonly size: number } | undefined
  /** Releases what is held on disk; nothing is saved after it. */
  close(): void
}

export interface StoreParts {
  readonly namespace: Namespace
  readonly hooks: GuestHooks
  /** In the preset's order; read at the first save or restore, so halves may still add to it. */
  readonly serializers: readonly Serializer[]
  /** The folder; null when nothing is kept. */
  readonly path: string | null
  /** Which runtime writes, as `bun 1.4.5`. */
  readonly runtime: string
  readonly limits?: StateLimits
  /** Which values are exports of modules, and how such a module is loaded again. */
  readonly imports: { readonly origins: Pick<Origins, 'of'>; readonly loader: Loader }
  /** A line for the user with the next result. */
  readonly notice?: (text: string) => void
  /** Runs work with the originals of the globals in place; without it they are taken as they are. */
  readonly clean?: <T>(work: () => T) => T
  /** Called after the store has seen a name's first touch since the last save. The store takes `namespace.onTouch`. */
  readonly onTouch?: (box: Box) => void
  /** For tests: another file system, another process table. */
  readonly disk?: Disk
  readonly machine?: Machine
}
