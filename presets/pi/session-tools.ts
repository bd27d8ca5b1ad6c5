import type { Tool, ToolOutcome, ToolSource } from '../../plugins/pi-tools/source.ts'
import { RlmError } from '../../kernel/errors.ts'
import { factorySource } from '../../plugins/pi-tools/factories.ts'
import type { AgentTool, PiParts, ToolContext } from './pi.ts'

/** The tools of the session: those that pi's own context offers, or made from pi's factories where it offers none. */
export class SessionTools implements ToolSource {
  /** Contexts of the calls to `execute` that are under way; pi makes one for each call. */
  private readonly contexts = new Map<string, ToolContext>()
  private callable: readonly Tool[] = []
  private readonly own: ToolSource
  private readonly nested: boolean

  constructor(parts: PiParts, cwd: string, nested: boolean) {
    this.nested = nested
    this.own = factorySource(parts.factories, cwd, cell => this.contexts.get(cell) ?? { cwd })
  }

  list(): readonly Tool[] { return this.nested ? this.callable : this.own.list() }

  /** Notes what pi lets tools call now. */
  offer(tools: readonly AgentTool[]): void { this.callable = tools }

  /** Lends a call's context to the cell that runs for it. */
  async during<T>(cell: string, context: ToolContext, work: () => Promise<T>): Promise<T> {
    this.contexts.set(cell, context)
    if (context.tools !== undefined) this.offer(context.tools)
    try {
      return await work()
    } finally {
      this.contexts.delete(cell)
    }
  }

  async call(name: string, args: object, { cell, signal }: Parameters<ToolSource['call']>[2]): Promise<ToolOutcome> {
    if (!this.nested) return this.own.call(name, args, { cell, signal })
    // Never a copy of the context: `executeTool` is not enumerable.
    const context = this.contexts.get(cell.id)
    if (context?.executeTool === undefined) throw new RlmError('CELL_OVER', 'ToolError', `tools.${name}: cell ${cell.number} is over; call tools from a running cell, and await them there`)
    const { result, isError } = await context.executeTool(name, args, { signal })
    return { content: result.content, details: result.details, structured: result.structuredContent, failed: isError }
  }
}
