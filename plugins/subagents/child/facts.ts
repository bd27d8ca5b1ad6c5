import type { ChildProgress, TokenUsage } from '../../../kernel/plugin.ts'
import { plainText } from '../naming.ts'
import type { ChildRecord, Usage } from '../records/record.ts'

/** What the events of an agent add to its record. */
export function factsOf(progress: ChildProgress, record: ChildRecord): Partial<ChildRecord> {
  return {
    model: { ...record.model, actual: progress.model ?? record.model.actual },
    ...(progress.usage !== undefined && { usage: usageOf(progress.usage) }),
    ...(progress.activity !== undefined && { activity: plainText(progress.activity, 120) }),
  }
}

const usageOf = (usage: TokenUsage): Usage => ({
  input: usage.input, output: usage.output, cache_read: usage.cacheRead, cache_write: usage.cacheWrite,
  cost: usage.cost, context: usage.context, turns: usage.turns,
})
