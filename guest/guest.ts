import type { ESTree } from 'meriyah'
import type { CellContext } from './context.ts'
import type { GuestHooks } from './hooks.ts'
import type { Namespace } from './namespace.ts'
import type { CellRef, Json, Channel, ChannelEnd, Cut } from './protocol.ts'
import type { TextEdits } from './cell/edits.ts'
import type { ScopeAnalysis } from './cell/scope.ts'
import type { Kind } from './store/kinds.ts'

/** How a name is used where it stands; `ref` answers with the text for it. */
export type NameUse = 'read' | 'write' | 'call' | 'typeof' | 'shorthand'

/** A cell after parsing. Transforms look at the tree and edit the text by position through `edits`. */
export interface ParsedCell extends CellRef {
  /** The text the tree was parsed from; positions are offsets into it. */
  readonly text: string
  readonly tree: ESTree.Program
  readonly scope: ScopeAnalysis
  readonly edits: TextEdits
  /** How a namespace name is written for a use. A transform may replace it; it is final when the `atEnd` tasks run. */
  ref: (name: string, use: NameUse) => string
  /** Names whose boxes the body is handed. */
  readonly boxes: Set<string>
  /** Set by a transform that leaves no name to be looked up while the body runs: it then needs no scope object, unless it calls `eval`. */
  resolved: boolean
  /** Runs after every transform: for inserted text that names are written in. */
  atEnd(task: () => void): void
}

/** One step of the tree rewrite, applied in the preset's order. */
export interface Transform { readonly name: string; apply(cell: ParsedCell): void }

/** What a serializer made of a value; `losses` says what the bytes cannot bring back. */
export interface Encoded { readonly bytes: Uint8Array; readonly losses?: readonly string[] }

/** One way to turn values into bytes; the first in the preset's order that does not decline a value gets it. */
export interface Serializer {
  /** Stable name written beside the bytes, runtime and format version included where they matter. */
  readonly codec: string
  /** Kinds of value it brings back exactly; graphs with others it never sees. Absent: it declines for itself. */
  readonly keeps?: readonly Kind[]
  /** Its bytes are read by every runtime: asked first for small values. */
  readonly portable?: boolean
  /** Deepest nesting it takes without overflowing the stack. */
  readonly maxDepth?: number
  encode(value: unknown): Encoded | undefined
  /** Codecs this one can read; its own when absent. */
  reads?(codec: string): boolean
  decode(bytes: Uint8Array, codec: string): unknown
}

/** What one value and the whole state may weigh, in bytes. */
export interface StateLimits { readonly maxValueBytes: number; readonly maxTotalBytes: number }

/** Loads modules of a scheme such as `npm:`. */
export interface Importer {
  readonly scheme: string
  load(specifier: string, cell: CellContext | undefined, attributes?: Readonly<Record<string, string>>): Promise<unknown>
}

/** Cuts the volume of one cell where it arises: answers the text to send on, keeps the rest. */
export interface OutputMeter {
  write(channel: Channel, text: string): string
  /** What was cut since the last call, per channel. */
  ends(): Partial<Record<Channel, ChannelEnd>>
  /** The text of a result to show, and where the whole of it is when it was cut. */
  result(text: string): { readonly text: string; readonly cut?: Cut }
}

/** What a guest half is handed. It comes as an argument, so that a half imports nothing of the kernel at run time. */
export interface Guest {
  readonly hooks: GuestHooks
  readonly runtime: string
  readonly namespace: Namespace
  /** Where this session's state is kept, null when nothing is. */
  readonly statePath: string | null
  /** A folder for what need not outlive this engine. Who needs it makes it, with mode 0700; the host removes it. */
  readonly scratchPath: string
  currentCell(): CellContext | undefined
  runInCell<T>(cell: CellContext | undefined, work: () => T): T
  /** Work to be done before a cell's text is shaped, such as loading a compiler; the task answers undefined when there is none. */
  prepare(task: (source: string) => Promise<unknown> | undefined): void
  transform(transform: Transform): void
  serializer(serializer: Serializer): void
  /** How much may be saved; the last plugin to set it wins. */
  stateLimits(limits: StateLimits): void
  importer(importer: Importer): void
  /** The one meter that new cells get; the last plugin to set it wins. */
  outputMeter(open: (cell: CellRef, maxChars: number | null) => OutputMeter): void
  /** Adds guest-run methods to a handle; they win over forwarding to the host. */
  handle(name: string, methods: Readonly<Record<string, unknown>>): void
  /** An engine-owned name: a layer above the saved entries, never serialised, refused to cells as a declaration. */
  own(name: string, value: unknown): void
  /** A name every cell can read until it declares one of its own. */
  global(name: string, value: unknown): void
  /** Calls a method the host runs; belongs to the current cell. */
  call(handle: string, name: string, args: readonly Json[]): Promise<Json>
  /** Runs before each cell, in the preset's order: re-assert what a cell may have replaced. */
  beforeCell(task: (cell: CellRef) => void): void
  /** Runs the engine's own work with the globals it was made for, whatever cells have replaced. */
  clean<T>(work: () => T): T
  /** Puts replaced globals back; answers the names of those that were changed. */
  resetGlobals(): readonly string[]
  /** A line for the user with the next result. */
  notice(text: string): void
}
export type GuestHalf<Options> = (guest: Guest, options: Options) => void | Promise<void>
