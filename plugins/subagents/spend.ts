import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TokenUsage } from '../../kernel/plugin.ts'
import { type RecordFolder, replaceFile } from './records/folder.ts'
import type { TreeNode } from './records/tree.ts'

/** What is paid for, summed over any number of models. */
export interface Spent { readonly input: number; readonly output: number; readonly cacheRead: number; readonly cacheWrite: number; readonly cost: number }

const NOTHING: Spent = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 }
const FIELDS = ['input', 'output', 'cacheRead', 'cacheWrite', 'cost'] as const

/** What a tree of children has used, each child once: a record holds what its child used itself, without the children of that. */
export const spentBy = (nodes: readonly TreeNode[]): Spent => nodes.reduce((sum, { record: { usage }, children }) => {
  const below = combined(sum, spentBy(children), 1)
  return usage === undefined ? below : combined(below, { input: usage.input, output: usage.output, cacheRead: usage.cache_read, cacheWrite: usage.cache_write, cost: usage.cost }, 1)
}, NOTHING)

/**
 * Hands out what children and plain model calls have used since it was asked last. What was handed out is kept on disk, so
 * that a session that is resumed is not billed again for what its transcript holds already.
 */
export class Spending {
  private readonly path: string
  private asked: Spent = NOTHING
  private told: Spent

  constructor(folder: RecordFolder) {
    this.path = join(folder.path, '.told.json')
    this.told = read(this.path)
  }

  /** A plain model call has no record: it is handed out with the next question. */
  add(usage: TokenUsage): void { this.asked = combined(this.asked, usage, 1) }

  /** Undefined when there is nothing new. */
  take(tree: readonly TreeNode[]): Spent | undefined {
    const now = spentBy(tree)
    const fresh = combined(combined(now, this.told, -1), this.asked, 1)
    if (FIELDS.every(field => fresh[field] <= 0)) return undefined
    this.asked = NOTHING
    this.told = now
    try { replaceFile(this.path, JSON.stringify(now)) } catch { /* no child was ever recorded, or the disk refuses: a resumed session counts again */ }
    return fresh
  }
}

const combined = (a: Spent, b: Spent, sign: 1 | -1): Spent => ({
  input: a.input + sign * b.input, output: a.output + sign * b.output, cacheRead: a.cacheRead + sign * b.cacheRead, cacheWrite: a.cacheWrite + sign * b.cacheWrite, cost: a.cost + sign * b.cost,
})

function read(path: string): Spent {
  try {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as Spent
    return FIELDS.every(field => Number.isFinite(kept[field])) ? kept : NOTHING
  } catch { return NOTHING }
}
