import { setTimeout as sleep } from 'node:timers/promises'
import type { Tool, ToolOutcome, ToolSource } from '../../plugins/pi-tools/source.ts'
import { RlmError } from '../../kernel/errors.ts'
import { factorySource } from '../../plugins/pi-tools/factories.ts'
import type { AgentTool, PiParts, ToolContext } from './pi.ts'

/** Time a cancelled tool has to end before its cell is reported without it. */
const NESTED_END_MS = 1_000

/** The tools of the session: those that pi's own context offers, or made from pi's factories where it offers none. */
export class SessionTools implements ToolSource {
  /** Contexts of the calls to `execute` that are under way; pi makes one for each call. */
  private readonly contexts = new Map<string, ToolContext>()
  private readonly pending = new Set<Promise<unknown>>()
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
      // A cancelled tool ends within its own call, as pi expects of nested ones.
      await Promise.race([Promise.allSettled(this.pending), sleep(NESTED_END_MS, undefined, { ref: false })])
      this.contexts.delete(cell)
    }
  }

  async call(name: string, args: object, { cell, signal }: Parameters<ToolSource['call']>[2]): Promise<ToolOutcome> {
    if (!this.nested) return this.own.call(name, args, { cell, signal })
    // Never a copy of the context: `executeTool` is not enumerable.
    const context = this.contexts.get(cell.id)
    if (context?.executeTool === undefined) throw new RlmError('CELL_OVER', 'ToolError', `tools.${name}: cell ${cell.number} is over; call tools from a running cell, and await them there`)
    const running = context.executeTool(name, args, { signal })
    this.pending.add(running)
    const { result, isError } = await running.finally(() => this.pending.delete(running))
    return { content: result.content, details: result.details, structured: result.structuredContent, failed: isError }
  }
}
