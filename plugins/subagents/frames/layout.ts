import { plainText } from '../naming.ts'
import { durationOf, type SeenStatus, type Usage } from '../records/record.ts'
import { billedTokens, type TreeNode } from '../records/tree.ts'
import { certain, columns, fit } from './width.ts'

/** What a piece of a frame is, for whoever colours it. A painter may add no columns. */
export type Role = SeenStatus | 'name' | 'detail'
export type Paint = (role: Role, text: string) => string

export interface FrameOptions {
  readonly width: number
  readonly now: number
  /** Most rows; the rest is one line that counts. */
  readonly rows?: number
  readonly paint?: Paint
}

interface Row { readonly node: TreeNode; readonly level: number }

const ROWS = 12
const DEEPEST_INDENT = 8
const GLYPHS: Readonly<Record<SeenStatus, string>> = { queued: '-', running: '>', completed: '✓', error: '✗', lost: '?', unknown: '?' }

/** The children a cell asked for, each with those below it. */
export const framesOfCell = (nodes: readonly TreeNode[], cell: string): TreeNode[] => nodes.filter(node => node.record.spawn_cell_id === cell)

/** Whether anything in a tree still waits or runs: only then is a view painted again. */
export const isLive = (nodes: readonly TreeNode[]): boolean => flat(nodes).some(({ node }) => isLiveStatus(node.status))

/**
 * The frames of a tree, one line a child, in the order of admission, so that nothing jumps. When there are more than fit,
 * live ones are kept before failed ones before the others; the number of lines grows with the tree and with nothing else.
 */
export function layoutFrames(nodes: readonly TreeNode[], options: FrameOptions): string[] {
  const width = Math.max(0, Math.floor(options.width) || 0)
  const limit = Math.max(1, options.rows ?? ROWS)
  const rows = flat(nodes)
  const shown = rows.length <= limit ? rows : chosen(rows, limit - 1)
  const lines = shown.map(row => line(row, width, options))
  if (shown.length < rows.length) lines.push((options.paint ?? plain)('detail', fit(`  and ${rows.length - shown.length} more: ${summary(nodes)}`, width)))
  return lines
}

/** One short text for a settled tree, such as `5 children: 4 completed, 1 error`. */
export function summary(nodes: readonly TreeNode[]): string {
  const total = flat(nodes).length
  return total === 0 ? 'no children' : `${total} ${total === 1 ? 'child' : 'children'}: ${counts(nodes).map(([status, count]) => `${count} ${status}`).join(', ')}`
}

/** The same in the fewest columns, such as `4✓ 1✗`. */
export const tally = (nodes: readonly TreeNode[]): string => counts(nodes).map(([status, count]) => `${count}${GLYPHS[status]}`).join(' ')

function counts(nodes: readonly TreeNode[]): [SeenStatus, number][] {
  const all = flat(nodes).map(({ node }) => node.status)
  return ORDER.map((status): [SeenStatus, number] => [status, all.filter(each => each === status).length]).filter(([, count]) => count > 0)
}

const ORDER: readonly SeenStatus[] = ['running', 'queued', 'completed', 'error', 'lost', 'unknown']
const isLiveStatus = (status: SeenStatus): boolean => status === 'running' || status === 'queued'

/** Depth first, each node once even if a tree were tied to itself. */
function flat(nodes: readonly TreeNode[], level = 0, into: Row[] = [], seen = new Set<TreeNode>()): Row[] {
  for (const node of nodes) {
    if (seen.has(node)) continue
    seen.add(node)
    into.push({ node, level })
    flat(node.children, level + 1, into, seen)
  }
  return into
}

function chosen(rows: readonly Row[], limit: number): Row[] {
  const rank = (status: SeenStatus): number => status === 'running' ? 0 : status === 'queued' ? 1 : status === 'completed' ? 3 : 2
  const kept = new Set<Row>()
  for (const wanted of [0, 1, 2, 3]) {
    for (const row of rows) {
      if (kept.size >= limit) break
      if (rank(row.node.status) === wanted) kept.add(row)
    }
  }
  return rows.filter(row => kept.has(row))
}

function line({ node, level }: Row, width: number, { now, paint = plain }: FrameOptions): string {
  const indent = '  '.repeat(Math.min(level, DEEPEST_INDENT) + 1)
  const head = `${indent}${GLYPHS[node.status]} `
  if (width <= head.length) return paint(node.status, fit(head.trimStart(), width))
  const word = statusWord(node)
  const room = width - head.length
  const name = fit(certain(plainText(node.record.name, 60)), Math.max(1, room - word.length - 2))
  const left = room - widthOf(name) - 2
  if (left < 1) return head + paint('name', fit(name, room))
  const status = fit(word, left)
  const detail = details(node, now)
  const rest = left - widthOf(status) - 2
  return head + paint('name', name) + '  ' + paint(node.status, status) + (rest > 3 && detail !== '' ? '  ' + paint('detail', fit(detail, rest)) : '')
}

const widthOf = columns

function statusWord({ status, record }: TreeNode): string {
  if (status === 'error') return record.reason ?? 'error'
  return status === 'completed' && record.warnings !== undefined ? 'completed!' : status
}

function details({ record, status }: TreeNode, now: number): string {
  const live = isLiveStatus(status)
  const parts = [
    record.started_at === undefined ? '' : clock(durationOf(record, now)),
    usageText(record.usage),
    live ? record.activity ?? '' : status === 'completed' ? `${record.output_bytes ?? 0} B` : record.message ?? '',
    live ? record.task : '',
  ]
  return certain(plainText(parts.filter(part => part !== '').join('  '), 400))
}

function clock(ms: number): string {
  if (!Number.isFinite(ms)) return ''
  const seconds = Math.floor(ms / 1_000)
  return seconds < 60 ? `${seconds}s` : seconds < 3_600 ? `${Math.floor(seconds / 60)}m${seconds % 60}s` : `${Math.floor(seconds / 3_600)}h${Math.floor(seconds / 60) % 60}m`
}

function usageText(usage: Usage | undefined): string {
  const tokens = billedTokens(usage)
  if (!Number.isFinite(tokens) || tokens <= 0) return ''
  const count = tokens < 1_000 ? `${tokens}` : `${(tokens / 1_000).toFixed(1)}k`
  return `${count} tok${usage !== undefined && usage.cost > 0 ? ` $${usage.cost.toFixed(3)}` : ''}`
}

const plain: Paint = (_, text) => text
