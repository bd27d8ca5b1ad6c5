import { TraceMap, originalPositionFor } from '@jridgewell/trace-mapping'
import { type Position, lineStarts } from './lines.ts'

let lastMap: string | undefined
let lastTrace: TraceMap | undefined

/** A stack asks for the same map at each frame, and reading one costs more than the rest. */
function traceOf(map: string): TraceMap {
  if (map !== lastMap || lastTrace === undefined) lastTrace = new TraceMap(map)
  lastMap = map
  return lastTrace
}

/** Where a place in a compiled text stands in the text it came from; both count from 1. */
function mappedPosition(map: string, { line, column }: Position): Position {
  const found = originalPositionFor(traceOf(map), { line, column: column - 1 })
  return found.line === null ? { line, column } : { line: found.line, column: found.column + 1 }
}

/** The same as an offset into the source. */
export function originalOffset(map: string, source: string, place: Position): number {
  const { line, column } = mappedPosition(map, place)
  return Math.min(source.length, (lineStarts(source)[line - 1] ?? 0) + column - 1)
}
