import { RlmError } from '../../kernel/errors.ts'
import type { TreeTotals } from './records/tree.ts'

/** The limits of a whole tree, set by its root and handed down; 0 switches a limit off, except depth and concurrency. */
export interface Limits {
  readonly maxDepth: number
  readonly concurrency: number
  readonly maxTotal: number
  readonly tokenBudget: number
  readonly costBudget: number
}

export const DEFAULT_MAX_DEPTH = 2

/** Why a child is not admitted, or undefined. Costs nothing: it is asked before anything is written. */
export function refusal(depth: number, totals: TreeTotals, limits: Limits): RlmError | undefined {
  if (depth > limits.maxDepth) {
    return refuse('CHILD_DEPTH', `children may be ${limits.maxDepth} deep and this one would be at depth ${depth}. Do the work in this notebook instead (PI_RLM_MAX_DEPTH of the root sets the limit).`)
  }
  if (limits.maxTotal > 0 && totals.admitted >= limits.maxTotal) {
    return refuse('CHILD_TOTAL', `this tree has started ${totals.admitted} children and may start ${limits.maxTotal}. Go on with the answers you have (option maxTotal sets the limit).`)
  }
  const spent = overBudget(totals, limits)
  if (spent !== undefined) return refuse('CHILD_BUDGET', `${spent}. Go on with the answers you have.`)
  return undefined
}

/** Says which budget is spent, or undefined. */
export function overBudget(totals: TreeTotals, limits: Limits): string | undefined {
  if (limits.tokenBudget > 0 && totals.tokens >= limits.tokenBudget) return `the tree has used ${totals.tokens} of ${limits.tokenBudget} tokens`
  if (limits.costBudget > 0 && totals.cost >= limits.costBudget) return `the tree has cost ${totals.cost.toFixed(4)} of ${limits.costBudget}`
  return undefined
}

/** Reads PI_RLM_MAX_DEPTH; a value that is no number is an error, never a limit silently removed. */
export function depthFromEnv(value: string | undefined): number {
  if (value === undefined || value === '') return DEFAULT_MAX_DEPTH
  if (!/^\d{1,3}$/.test(value)) throw problem('BAD_SETTING', `PI_RLM_MAX_DEPTH is '${value}'; it must be a whole number from 0 to 999`)
  return Number(value)
}

/** An error for the cell: the child was not started. */
export const refuse = (code: string, message: string, cause?: unknown): RlmError => new RlmError(code, 'ChildRefused', `No child was started: ${message}`, cause)

/** An error for the cell about a child there is, or a call that has nothing to do with starting one. */
export const problem = (code: string, message: string): RlmError => new RlmError(code, 'SubagentError', message)
