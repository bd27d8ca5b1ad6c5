import type { TSchema } from '@sinclair/typebox'
import type { CellSource } from '../../guest/protocol.ts'

/** One block of a tool's answer, as pi's tools give them. */
export type Block = { readonly type: 'text'; readonly text: string } | { readonly type: 'image'; readonly data: string; readonly mimeType: string }

/** A tool that cells may call. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly parameters: TSchema
}

export interface ToolOutcome {
  readonly content: readonly Block[]
  readonly details?: unknown
  /** The answer as data, from tools that declare an output schema. */
  readonly structured?: unknown
  readonly failed: boolean
}

/** Where tools come from: a running pi session, or pi's package. */
export interface ToolSource {
  /** What can be called now; it may change during a session. */
  list(): readonly Tool[]
  call(name: string, args: object, call: { readonly cell: CellSource; readonly signal: AbortSignal }): Promise<ToolOutcome>
}
