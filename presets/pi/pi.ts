import type { AgentToolResult, ExtensionAPI, ExtensionContext, ToolDefinition } from '@mariozechner/pi-coding-agent'
import type { TSchema } from '@sinclair/typebox'
import type { ToolFactories } from '../../plugins/pi-tools/factories.ts'
import type { Block } from '../../plugins/pi-tools/source.ts'

/** What only the TypeScript entry can import, because pi's loader alone knows which copy of pi is running. */
export interface PiParts {
  readonly version: string
  readonly factories: ToolFactories
  readonly highlight: (code: string) => readonly string[]
  readonly measure: (text: string) => number
  readonly wrapPainted: (line: string, width: number) => readonly string[]
  readonly truncate: (line: string, width: number) => string
}

/** What pi 1.6 has beyond 0.73. The types come from 0.73, so each use tests for it. */
export interface NestedOutcome {
  readonly isError: boolean
  readonly result: { readonly content: readonly Block[]; readonly details?: unknown; readonly structuredContent?: unknown }
}
export interface AgentTool { readonly name: string; readonly description: string; readonly parameters: TSchema }
export interface ToolContext extends ExtensionContext {
  readonly mode?: 'tui' | 'rpc' | 'json' | 'print'
  readonly tools?: readonly AgentTool[]
  readonly executeTool?: (name: string, args: unknown, options: { readonly signal: AbortSignal }) => Promise<NestedOutcome>
}
/** Draws calls of tools that are not registered; 0.73 has no such thing. */
export interface ToolDrawing { readonly registerToolRenderer?: (choose: (tool: string, next: () => object | undefined) => object | undefined) => void }
export interface Loadout { readonly declared: readonly AgentTool[]; readonly callable: readonly AgentTool[] }
/** Fields of a tool that 0.73 ignores. */
export interface ToolFields16 {
  readonly exposure?: 'model-only' | 'codemode'
  /** The tools a call may reach: all, or those that words of its input name. */
  readonly reachesTools?: (input: Record<string, unknown>) => 'all' | readonly string[]
  readonly prepareLoadout?: (loadout: Loadout) => { readonly hiddenDeclarations: readonly string[] }
}

export type ToolResult<Details> = AgentToolResult<Details> & { readonly isError?: boolean }
export type AnyTool = Parameters<ExtensionAPI['registerTool']>[0]
export type { ExtensionAPI, ExtensionContext, ToolDefinition }

/** Whether this pi can hide tools from the model while cells may call them. */
export const isPi16 = (ctx: ExtensionContext): boolean => (ctx as ToolContext).mode !== undefined

/** Whether a person sits at the terminal. pi 0.73 does not tell RPC from a terminal, but only one of them has one. */
export function isAttended(ctx: ExtensionContext): boolean {
  const { mode, hasUI } = ctx as ToolContext
  return mode === undefined ? hasUI && process.stdout.isTTY : mode === 'tui'
}

/** Says something to the user in whatever way the mode has. */
export function tell(ctx: ExtensionContext, text: string, type: 'info' | 'warning' | 'error' = 'info'): void {
  if (ctx.hasUI) ctx.ui.notify(text, type)
  else process.stderr.write(`${text}\n`)
}
