import type { Spent } from '../../plugins/subagents/index.ts'

/** Usage as pi 1.6 takes it with a result of a tool and adds it to the totals of its session; 0.73 drops it. */
export interface PiUsage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly totalTokens: number
  readonly cost: { readonly input: number; readonly output: number; readonly cacheRead: number; readonly cacheWrite: number; readonly total: number }
}

/** What child agents have used, in pi's terms. Of their cost only the total is known. */
export function usageOf({ input, output, cacheRead, cacheWrite, cost }: Spent): PiUsage {
  return { input, output, cacheRead, cacheWrite, totalTokens: input + output + cacheRead + cacheWrite, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: cost } }
}
