import { framesOfCell, isLive, layoutFrames, type Role, summary, tally } from '../../../plugins/subagents/frames/layout.ts'
import type { TreeNode } from '../../../plugins/subagents/records/tree.ts'
import type { Chip, Line } from './layout.ts'
import type { Palette } from './paint.ts'

/** What stands beneath a cell: its child agents while any is at work, then a word on how they ended. */
export interface Beneath { readonly live: boolean; readonly chip?: Chip; readonly lines?: (width: number) => readonly Line[] }

const COLORS: Readonly<Record<Role, string>> = {
  queued: 'muted', running: 'accent', completed: 'success', error: 'error', lost: 'warning', unknown: 'warning', name: 'toolTitle', detail: 'muted',
}

/** The frames of the children that a cell asked for, out of the tree of its session. */
export function framesBelow(tree: readonly TreeNode[], cell: string, palette: Palette): Beneath {
  const nodes = framesOfCell(tree, cell)
  if (nodes.length === 0) return { live: false }
  if (!isLive(nodes)) return { live: false, chip: { long: summary(nodes), short: tally(nodes) } }
  const paint = (role: Role, text: string): string => palette.fg(COLORS[role] as never, text)
  return { live: true, lines: width => layoutFrames(nodes, { width, now: Date.now(), paint }).map(text => [{ text, style: 'painted' }]) }
}
