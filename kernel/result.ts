import type { Channel, Cut, Thrown } from '../guest/protocol.ts'

/** A channel or result that was cut: its full length in characters, and the file that keeps it. */
export type CutChannel = Cut
export interface Image { readonly mimeType: string; readonly data: string }
export interface LateText { readonly cell: string; readonly channel: Channel; readonly text: string }

/** What became of a cell. The public result of `EngineManager.execute`. */
export interface CellResult {
  readonly cell: { readonly id: string; readonly number: number }
  /** `aborted` whenever the caller's signal fired, also if the cell finished first. */
  readonly status: 'ok' | 'error' | 'aborted'
  readonly stdout: string
  readonly stderr: string
  /** The rendered value of the trailing expression; absent for undefined. */
  readonly result?: string
  /** The value as plain JSON, when it was asked for and is plain JSON within the cap. */
  readonly value?: unknown
  readonly error?: Thrown
  readonly durationMs: number
  readonly cut?: { readonly stdout?: CutChannel; readonly stderr?: CutChannel; readonly result?: CutChannel }
  readonly images: readonly Image[]
  /** Lines for the user and the model: resets, globals changed, saves that fail. */
  readonly notices: readonly string[]
  /** What earlier cells said since the last result, under their own ids. */
  readonly late: readonly LateText[]
}
