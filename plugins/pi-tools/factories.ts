import type { TSchema } from '@sinclair/typebox'
import type { Block, Tool, ToolSource } from './source.ts'

/** A tool definition as pi's factories make it; only what a call needs. */
export interface PiTool {
  readonly name: string
  readonly description: string
  readonly parameters: TSchema
  execute(id: string, args: never, signal: AbortSignal | undefined, onUpdate: undefined, context: never): Promise<{ readonly content: readonly Block[]; readonly details?: unknown; readonly structuredContent?: unknown }>
}
/** pi's own factories by tool name; handed in, as only pi can say which copy of its package is running. */
export type ToolFactories = Readonly<Record<string, (cwd: string) => PiTool>>

/** The names of pi's own tools. */
export const BUILT_IN = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'] as const

/** Tools made from pi's factories: its behaviour, without the hooks of a session. `contextOf` gives what pi would pass along. */
export function factorySource(factories: ToolFactories, cwd: string, contextOf: (cell: string) => object = () => ({ cwd })): ToolSource {
  const tools = new Map(Object.entries(factories).map(([name, make]) => [name, make(cwd)]))
  const list: readonly Tool[] = [...tools.values()].map(({ name, description, parameters }) => ({ name, description, parameters }))
  let calls = 0
  return {
    list: () => list,
    async call(name, args, { cell, signal }) {
      const tool = tools.get(name)
      if (tool === undefined) throw new TypeError(`tools.${name} is not there`)
      try {
        const { content, details, structuredContent } = await tool.execute(`${cell.id}/${++calls}`, args as never, signal, undefined, contextOf(cell.id) as never)
        return { content, details, structured: structuredContent, failed: false }
      } catch (error) {
        return { content: [{ type: 'text', text: error instanceof Error ? error.message : String(error) }], failed: true }
      }
    },
  }
}
