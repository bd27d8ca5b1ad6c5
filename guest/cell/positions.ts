import { siteStart } from './call-site.ts'
import { type Edited, PIECE } from './edits.ts'
import { type Position, lineIndex, lineStarts } from './lines.ts'
import { originalOffset } from './mapped.ts'

/** How a cell's compiled code came from its text: the wrapper put `before` it, the edits, and the map of an earlier step. */
export interface CellCode {
  readonly before: number
  /** Characters put before the text itself. */
  readonly shift: number
  readonly edited: Edited
  /** The text that was edited, and the map of where it came from when it is not the source. */
  readonly text: string
  readonly map: string | undefined
  /** The text the cell was sent as. */
  readonly source: string
}

/** Where lines start in texts that were looked at: a stack asks for the same ones at each frame. */
interface Kept extends CellCode { readonly starts: { code?: readonly number[]; text?: readonly number[]; source?: readonly number[] } }

/** Cells, and characters and numbers kept of them; older ones keep their lines, not their columns. */
const MOST_CELLS = 2_000
const BUDGET = 8 << 20

const kept = new Map<number, Kept>()
const { get, set, delete: remove, keys } = Map.prototype
const { apply } = Reflect
let spent = 0

const keptCell = (number: number): Kept | undefined => apply(get, kept, [number]) as Kept | undefined

const costOf = ({ edited, map, source }: CellCode): number => edited.code.length + edited.pieces.length + (map?.length ?? 0) + source.length

/** Keeps what is needed to find places of this cell later. */
export function rememberCell(number: number, code: CellCode): void {
  forgetCell(number)
  apply(set, kept, [number, { ...code, starts: {} }])
  spent += costOf(code)
  while (kept.size > 1 && (spent > BUDGET || kept.size > MOST_CELLS)) forgetCell((apply(keys, kept, []) as MapIterator<number>).next().value ?? number)
}

function forgetCell(number: number): void {
  const cell = keptCell(number)
  if (cell === undefined) return
  spent -= costOf(cell)
  apply(remove, kept, [number])
}

/** Where a place in a cell's compiled code stands in the cell's own text; both count from 1. `awaited`: of an async frame. */
export function originalPosition(number: number, line: number, column: number, awaited: boolean): Position {
  const cell = keptCell(number)
  if (cell === undefined) return { line, column }
  const { before, shift, edited, text, map, source, starts } = cell
  const compiled = ((starts.code ??= lineStarts(edited.code))[line - 1] ?? 0) + column - 1 - (line === 1 ? before : 0)
  const inText = Math.max(0, locate(edited, compiled) - shift)
  const offset = siteStart(source, map === undefined ? inText : originalOffset(map, source, placeOf(starts.text ??= lineStarts(text), inText)), awaited)
  return placeOf(starts.source ??= lineStarts(source), Math.max(0, offset))
}

function placeOf(starts: readonly number[], offset: number): Position {
  const line = lineIndex(starts, offset)
  return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 }
}

/** The offset in the text before the edits that an offset in the edited text comes from. */
function locate({ pieces }: Edited, offset: number): number {
  let low = 0
  let high = pieces.length / PIECE
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pieces[middle * PIECE] ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  const next = pieces[low * PIECE + 1]
  const at = (low - 1) * PIECE
  if (low === 0) return next ?? offset
  const start = pieces[at + 1] ?? 0
  if (pieces[at + 2] === 1) return start
  const moved = start + offset - (pieces[at] ?? 0)
  // Past the text of this piece stands something that was put in before the next.
  return next !== undefined && moved >= next ? next : moved
}
