import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TokenUsage } from '../../kernel/plugin.ts'
import { type RecordFolder, replaceFile } from './records/folder.ts'
import { recordsOf, type TreeNode, type TreeTotals } from './records/tree.ts'

interface Paid { readonly tokens: number; readonly cost: number }

const NOTHING: Paid = { tokens: 0, cost: 0 }
const FILE = '.asked.json'

/** What the plain model calls of one session have used. They have no record, so the sum is kept beside the records for whoever counts the tree. */
export class Asked {
  private readonly folder: RecordFolder
  private sum: Paid

  constructor(folder: RecordFolder) {
    this.folder = folder
    this.sum = read(folder.path)
  }

  add({ input, output, cacheRead, cacheWrite, cost }: TokenUsage): void {
    this.sum = { tokens: this.sum.tokens + input + output + cacheRead + cacheWrite, cost: this.sum.cost + cost }
    try {
      this.folder.prepare()
      replaceFile(join(this.folder.path, FILE), JSON.stringify(this.sum))
    } catch { /* the disk refuses: the next call writes the sum again */ }
  }
}

/** The totals of a tree with what the plain calls of its root and of all its children have used. */
export function withAsked(totals: TreeTotals, base: string, root: string, nodes: readonly TreeNode[]): TreeTotals {
  const paid = [root, ...idsOf(nodes)].map(session => read(recordsOf(base, session)))
  return { ...totals, tokens: paid.reduce((sum, { tokens }) => sum + tokens, totals.tokens), cost: paid.reduce((sum, { cost }) => sum + cost, totals.cost) }
}

const idsOf = (nodes: readonly TreeNode[]): string[] => nodes.flatMap(({ record, children }) => [record.id, ...idsOf(children)])

function read(records: string): Paid {
  try {
    const { tokens, cost } = JSON.parse(readFileSync(join(records, FILE), 'utf8')) as Paid
    return Number.isFinite(tokens) && Number.isFinite(cost) ? { tokens, cost } : NOTHING
  } catch { return NOTHING }
}
