/**
 * Everything the two processes say to each other; imports nothing, so either may load it.
 *
 * Both directions use fd 3. The host's first line is the key (64 hex digits). After it the host sends one JSON
 * command a line. The guest answers with frames: a newline, a MAC of 32 hex digits, the JSON text, a newline.
 * `run` is answered by exactly one of `done`, `threw`, `aborted`; `save`, `restore`, `names`, `ping` by one frame with
 * the same `ask`; a `call` of the guest by one `reply` or `refuse`.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export type Channel = 'stdout' | 'stderr'

/** Which cell something belongs to; `number` counts the cells of one engine from 1. */
export interface CellRef { readonly id: string; readonly number: number }
export interface CellSource extends CellRef { readonly source: string }

/** A thrown value as data. `stack` holds only lines of cells, as `at f (cell 3:12:5)`. */
export interface Thrown {
  readonly name: string
  readonly message: string
  readonly stack: readonly string[]
  readonly code?: string
  readonly cause?: Thrown
}

export interface NameReason { readonly name: string; readonly reason: string }
/** What a restore could not bring back as it was; `told` when an earlier restore said so already. */
export interface Loss extends NameReason { readonly told?: true }

export interface SnapshotReport {
  readonly generation: number
  /** Names the generation holds. */
  readonly saved: readonly string[]
  /** Names that were serialised anew for it. */
  readonly written: readonly string[]
  readonly failed: readonly NameReason[]
  readonly lossy: readonly NameReason[]
  /** Names whose saved value may be older than the live one. */
  readonly stale: readonly string[]
  readonly bytes: number
}

/** What came to a list of names and went from it; with `all`, all of it. */
export interface NameChanges { readonly all: boolean; readonly added: readonly string[]; readonly removed: readonly string[] }

/** A snapshot report as it crosses: of long lists of names only what changed, so that a save costs what changed. */
export interface SavedFrame extends Omit<SnapshotReport, 'saved' | 'stale'> {
  readonly names: NameChanges
  readonly stale: NameChanges
}

export interface RestoreReport {
  readonly generation: number
  /** When that generation was saved, milliseconds since 1970. */
  readonly savedAt: number
  readonly restored: readonly string[]
  readonly deferred: readonly string[]
  readonly held: readonly NameReason[]
  readonly failed: readonly NameReason[]
  readonly lost: readonly Loss[]
  readonly notes: readonly string[]
}

export interface NameEntry { readonly name: string; readonly type: string; readonly size: number | null }

/** Where a text that was cut is kept: `spill` is the file. It has the whole, unless `partial` says how much of it, and why no more. */
export interface Kept { readonly spill?: string; readonly partial?: { readonly bytes: number; readonly why: string } }
/** A text that was cut: its full length in characters, and where it is kept. */
export interface Cut extends Kept { readonly total: number }
/** True totals of a channel whose volume was cut in the guest. `tail` is the last text. */
export interface ChannelEnd extends Cut { readonly tail: string }
export type ChannelEnds = Partial<Readonly<Record<Channel, ChannelEnd>>>

/** A guest half: the module to load and the plain options it is called with. */
export interface HalfRef { readonly name: string; readonly url: string; readonly options: Json }
/** A handle whose properties are calls to the host. */
export interface HandleRef { readonly name: string; readonly methods: readonly string[] }

/** Where state is kept; null in `Boot.state` when nothing is kept on disk. */
export interface StateRef { readonly path: string }

export interface Boot {
  readonly type: 'boot'
  readonly runtime: string
  readonly halves: readonly HalfRef[]
  readonly handles: readonly HandleRef[]
  readonly state: StateRef | null
  /** A folder for what need not outlive the engine: who needs it makes it, the host removes it. */
  readonly scratch: string
  /** Random mark of this engine; processes a cell starts carry it in their environment. */
  readonly tag: string
  readonly firstCell: number
}

export type Command =
  | Boot
  | { readonly type: 'run'; readonly cell: CellSource; readonly json: boolean; readonly maxOutput: number | null }
  | { readonly type: 'abort'; readonly cell: string }
  | { readonly type: 'reply'; readonly call: number; readonly value: Json }
  | { readonly type: 'refuse'; readonly call: number; readonly error: Thrown }
  | { readonly type: 'ping'; readonly ask: number }
  | { readonly type: 'names'; readonly ask: number }
  | { readonly type: 'save'; readonly ask: number }
  | { readonly type: 'restore'; readonly ask: number; readonly generation: number | null }
  /** Ask for every frame after `seq` again: something spoiled one on its way. */
  | { readonly type: 'resend'; readonly seq: number }
  | { readonly type: 'stop' }
  | Part

/** A message too long for one line, in pieces; `last` marks the end. */
export interface Part { readonly type: 'part'; readonly index: number; readonly last: boolean; readonly text: string }

export interface Done {
  readonly type: 'done'; readonly cell: string
  /** The rendered result, null for undefined. `cut` gives its full length when it was shortened. */
  readonly shown: string | null
  readonly cut?: Cut
  /** The result as JSON text, when it was asked for and is plain JSON. */
  readonly json?: string
}

export type CellEnd =
  | Done
  | { readonly type: 'threw'; readonly cell: string; readonly error: Thrown }
  | { readonly type: 'aborted'; readonly cell: string }

export type Frame =
  | { readonly type: 'ready'; readonly halves: readonly string[]; readonly version: string; readonly notes: readonly string[] }
  | { readonly type: 'output'; readonly cell: string; readonly channel: Channel; readonly text: string }
  /** Sent before the end of a cell, and later for each burst of late output that was cut. */
  | { readonly type: 'ends'; readonly cell: string; readonly ends: ChannelEnds }
  | CellEnd
  | { readonly type: 'call'; readonly call: number; readonly cell: string; readonly handle: string; readonly name: string; readonly args: readonly Json[] }
  | { readonly type: 'pong'; readonly ask: number }
  | { readonly type: 'names'; readonly ask: number; readonly names: readonly NameEntry[] }
  | { readonly type: 'saved'; readonly ask: number; readonly report: SavedFrame }
  | { readonly type: 'restored'; readonly ask: number; readonly report: RestoreReport | null }
  | { readonly type: 'refused'; readonly ask: number; readonly error: Thrown }
  /** A line for the user with the next result, such as globals that were changed. */
  | { readonly type: 'notice'; readonly text: string }
  /** Characters that no cell could be named for, since the last such frame. */
  | { readonly type: 'unattributed'; readonly chars: number }
  /** Names were touched outside a cell (a timer, a late continuation): worth a snapshot. */
  | { readonly type: 'touched' }
  | { readonly type: 'fatal'; readonly error: Thrown }
  /** Frames that were sent in one turn, in their order. */
  | { readonly type: 'batch'; readonly frames: readonly Frame[] }
  | Part

/** Longest line either side accepts, in bytes. */
export const FRAME_CAP = 1 << 20
/** Characters of JSON in one `part`. */
export const PART_CHARS = 128 * 1024
/** Longest message that is sent in parts, in characters of JSON. */
export const MESSAGE_CAP = 64 << 20
/** Variable in the environment of every process a cell starts; its value is `<tag>:<cell number>`. */
export const CELL_MARK = 'RLM_CELL'
/** Variable that tells a web worker of a bun guest the channel its output goes to. */
export const WORKER_OUTPUT = 'RLM_WORKER_OUTPUT'
