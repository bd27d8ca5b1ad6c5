import type MagicString from 'magic-string'
import { siteStart } from './call-site.ts'
import { lineStarts } from './lines.ts'
import { mappedPosition } from './mapped.ts'

/** How a cell's compiled code came from its text: the wrapper put `before` it, the edits, and the map of an earlier step. */
export interface CellCode {
  readonly before: number
  /** Characters put before the text itself. */
  readonly shift: number
  readonly edits: MagicString
  readonly map: string | undefined
  /** The text the cell was sent as. */
  readonly source: string
}

export interface Position { readonly line: number; readonly column: number }

/** Cells whose edits are kept as they are; older ones are packed. */
const RECENT = 32
/** Cells, and bytes of what is packed of them, that are kept; those beyond keep their lines, not their columns. */
const MOST_CELLS = 2_000
const BUDGET = 8 << 20

/** What is kept of one cell. */
class KeptCell {
  readonly code: Omit<CellCode, 'edits'>
  /** Bytes it counts for in the budget, once it is packed. */
  cost = 0
  private edits: MagicString | undefined
  private segments: Int32Array | undefined = undefined

  constructor({ before, shift, edits, map, source }: CellCode) {
    this.code = { before, shift, map, source }
    this.edits = edits
  }

  packed(): Int32Array {
    if (this.edits) this.segments = pack(this.edits)
    this.edits = undefined
    return this.segments ??= new Int32Array()
  }

  settle(): void { this.cost = this.packed().byteLength + (this.code.map?.length ?? 0) + this.code.source.length }
}

const kept = new Map<number, KeptCell>()
const { get, set, delete: remove, keys } = Map.prototype
const { apply } = Reflect
let spent = 0

const keptCell = (number: number): KeptCell | undefined => apply(get, kept, [number]) as KeptCell | undefined

/** Keeps what is needed to find places of this cell later. */
export function rememberCell(number: number, code: CellCode): void {
  forgetCell(number)
  apply(set, kept, [number, new KeptCell(code)])
  const old = keptCell(number - RECENT)
  if (old?.cost === 0) {
    old.settle()
    spent += old.cost
  }
  while (spent > BUDGET || kept.size > MOST_CELLS) forgetCell((apply(keys, kept, []) as MapIterator<number>).next().value ?? number)
}

function forgetCell(number: number): void {
  spent -= keptCell(number)?.cost ?? 0
  apply(remove, kept, [number])
}

/** Where a place in a cell's compiled code stands in the cell's own text; both count from 1. `awaited`: of an async frame. */
export function originalPosition(number: number, line: number, column: number, awaited: boolean): Position {
  const cell = keptCell(number)
  if (cell === undefined) return { line, column }
  const { before, shift, map, source } = cell.code
  const place = locate(cell.packed(), line - 1, column - 1 - (line === 1 ? before : 0))
  const inText = { line: place.line + 1, column: Math.max(0, place.column - (place.line === 0 ? shift : 0)) + 1 }
  return atSite(source, map === undefined ? inText : mappedPosition(map, inText), awaited)
}

function atSite(source: string, { line, column }: Position, awaited: boolean): Position {
  const start = lineStarts(source)[line - 1] ?? 0
  return { line, column: Math.max(1, siteStart(source, start + column - 1, awaited) - start + 1) }
}

const FIELDS = 4

/** Segments in order, four numbers each: line, column, line and column in the text; the last is doubled, odd when the text was replaced. */
function pack(edits: MagicString): Int32Array {
  const { mappings } = edits.generateDecodedMap()
  const packed: number[] = []
  mappings.forEach((segments, line) => {
    for (const segment of segments) {
      if (segment.length > 1) packed.push(line, segment[0], segment[2] ?? 0, (segment[3] ?? 0) * 2 + (segment.length === 5 ? 1 : 0))
    }
  })
  return Int32Array.from(packed)
}

function locate(packed: Int32Array, line: number, column: number): Position {
  let at = -1
  for (let index = 0; index < packed.length; index += FIELDS) {
    const segmentLine = packed[index] ?? 0
    if (segmentLine > line || (segmentLine === line && (packed[index + 1] ?? 0) > column)) break
    at = index
  }
  const next = segment(packed, at + FIELDS)
  const found = segment(packed, at)
  if (found === undefined || found.line !== line) return next?.line === line ? next.source : { line, column }
  if (found.replaced) return found.source
  const moved = found.source.column + column - found.column
  // Past the text of this piece stands something that was put in before the next.
  return next && next.line === line && moved >= next.source.column ? next.source : { line: found.source.line, column: moved }
}

function segment(packed: Int32Array, at: number): { line: number; column: number; source: Position; replaced: boolean } | undefined {
  const line = packed[at]
  if (at < 0 || line === undefined) return undefined
  const last = packed[at + 3] ?? 0
  return { line, column: packed[at + 1] ?? 0, source: { line: packed[at + 2] ?? 0, column: last >> 1 }, replaced: (last & 1) === 1 }
}
