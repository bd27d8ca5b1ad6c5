import { TraceMap, originalPositionFor } from '@jridgewell/trace-mapping'
import { type Position, lineStarts } from './lines.ts'

/** Where a place in a compiled text stands in the text it came from; both count from 1. */
function mappedPosition(map: string, { line, column }: Position): Position {
  const found = originalPositionFor(new TraceMap(map), { line, column: column - 1 })
  return found.line === null ? { line, column } : { line: found.line, column: found.column + 1 }
}

/** The same as an offset into the source. */
export function originalOffset(map: string, source: string, place: Position): number {
  const { line, column } = mappedPosition(map, place)
  return Math.min(source.length, (lineStarts(source)[line - 1] ?? 0) + column - 1)
}
