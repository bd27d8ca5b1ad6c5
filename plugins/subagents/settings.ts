import { type Static, Type } from '@sinclair/typebox'
import type { Handover } from './handover.ts'
import { depthFromEnv, type Limits } from './limits.ts'

/** Longest time a timer can wait; a longer one would fire at once. */
const MAX_TIMER = 2 ** 31 - 1
const time = (standard: number, description: string) => Type.Integer({ default: standard, minimum: 0, maximum: MAX_TIMER, description })

/** The plugin's options. Times are milliseconds; 0 switches a time or a budget off. */
export const options = Type.Object({
  maxDepth: Type.Optional(Type.Integer({ minimum: 0, maximum: 999, description: 'levels of children below the root; default PI_RLM_MAX_DEPTH or 2' })),
  concurrency: Type.Integer({ default: 8, minimum: 1, maximum: 1_024, description: 'children of the tree at work at once; the rest wait in a queue' }),
  maxTotal: Type.Integer({ default: 256, minimum: 0, description: 'children the tree may start in all; 0 for no limit' }),
  tokenBudget: Type.Integer({ default: 0, minimum: 0, description: 'tokens the tree may use' }),
  costBudget: Type.Number({ default: 0, minimum: 0, description: 'what the tree may cost, in the unit the agent reports' }),
  timeoutMs: time(1_800_000, 'wall time of a child'),
  stallMs: time(0, 'longest silence of a child'),
  startMs: time(120_000, 'time to the first event of an agent that sends events'),
  graceMs: time(5_000, 'time between TERM and KILL'),
  maxAnswerBytes: Type.Integer({ default: 256 << 20, minimum: 1, description: 'largest answer' }),
  model: Type.Optional(Type.String({ minLength: 1, description: 'model of children that name none; default PI_RLM_SUBAGENT_MODEL' })),
  handover: Type.Optional(Type.String({ minLength: 1, description: 'file that says which child this process is' })),
})
export type Options = Static<typeof options>

/** What a family works by: the root's limits, and this process's own times. */
export interface Settings extends Pick<Options, 'timeoutMs' | 'stallMs' | 'startMs' | 'graceMs' | 'maxAnswerBytes'> {
  readonly limits: Limits
  /** Depth of this process: 0 for the root. */
  readonly depth: number
  readonly model: string | null
}

/** Joins options, environment and handover. The environment is read once, on the host: cells have no say in it. */
export function settle(given: Options, handover: Handover | undefined, env: Readonly<Record<string, string | undefined>>): Settings {
  const { timeoutMs, stallMs, startMs, graceMs, maxAnswerBytes, concurrency, maxTotal, tokenBudget, costBudget } = given
  return {
    timeoutMs, stallMs, startMs, graceMs, maxAnswerBytes,
    limits: handover?.limits ?? { maxDepth: given.maxDepth ?? depthFromEnv(env['PI_RLM_MAX_DEPTH']), concurrency, maxTotal, tokenBudget, costBudget },
    depth: handover?.depth ?? 0,
    model: given.model ?? handover?.model ?? (env['PI_RLM_SUBAGENT_MODEL'] || null),
  }
}
