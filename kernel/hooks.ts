import { AsyncSeriesBailHook, AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncWaterfallHook } from 'tapable'
import { blame } from '../guest/blame.ts'
import type { CellRef, CellSource, Channel, ChannelEnd, Json, RestoreReport, SnapshotReport } from '../guest/protocol.ts'
import type { CellResult } from './result.ts'

/** How a process is started; `preset.runtime` makes the first plan of a guest, `childAgent` that of a child. */
export interface SpawnPlan {
  readonly kind: 'guest' | 'child'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly stdio: readonly ('ignore' | 'pipe')[]
}

/** A piece of output on its way to the result. `seen` counts the channel's characters before it; `end` comes once, last. */
export interface OutputChunk {
  readonly cell: CellRef
  readonly channel: Channel
  readonly text: string
  readonly seen: number
  readonly end?: ChannelEnd
}

export interface ToolCall {
  readonly handle: string
  readonly name: string
  readonly args: readonly Json[]
  readonly cell: CellSource
  /** Fires when the cell is cancelled or the engine ends. */
  readonly signal: AbortSignal
  /** Resolves when the call was answered; never rejects. */
  readonly settled: Promise<{ readonly status: 'ok' | 'error' | 'denied'; readonly durationMs: number }>
}
/** A tap's answer to a call: `value` replies, `error` refuses with that message. */
export type ToolReply = { readonly value: Json } | { readonly error: string }

export type StateReport = { readonly type: 'save'; readonly report: SnapshotReport } | { readonly type: 'restore'; readonly report: RestoreReport }
  | { readonly type: 'failed'; readonly what: 'save' | 'restore'; readonly reason: string }

/** The hooks of the host side; the combination is in each type. */
export const createHostHooks = () => blame({
  onSpawn: new AsyncSeriesWaterfallHook<[plan: SpawnPlan]>(['plan']),
  onOutput: new SyncWaterfallHook<[chunk: OutputChunk]>(['chunk']),
  onToolCall: new AsyncSeriesBailHook<[call: ToolCall], ToolReply | undefined>(['call']),
  onSnapshot: new AsyncSeriesHook<[report: StateReport]>(['report']),
  /** Autosave schedules by it, and images are attached by it: both need the finished result. */
  onResult: new SyncWaterfallHook<[result: CellResult, cell: CellSource]>(['result', 'cell']),
})
export type HostHooks = ReturnType<typeof createHostHooks>
