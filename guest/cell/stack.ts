import { MARK } from './private-names.ts'
import { originalPosition } from './positions.ts'
import { CellSyntaxError } from './syntax-error.ts'

/**
 * What compiled code of a cell is called. The space that does not break tells a place in compiled code from one in a cell's
 * own text, whatever a cell did with its stack in between.
 */
export const cellFile = (number: number): string => `cell\u00a0${number}`

const PLACE = /cell\u00a0(\d+):(\d+):(\d+)/g
const FRAME = /^\s*at (async )?(?:(.*?) \()?cell ((\d+):(\d+):(\d+))\)?$/
/** Frames shown of one error: what a recursion without end leaves says no more in the next thousand. */
const MOST_FRAMES = 40

const { exec } = RegExp.prototype
const { split, startsWith, replace, includes } = String.prototype
const { apply } = Reflect

/** Whether a line of a stack is about the code of a cell. */
export const isOfCell = (line: string): boolean => apply(includes, line, ['cell\u00a0']) as boolean

/**
 * The frames of cells in an error's stack, as `at f (cell 3:12:5)`, in the cells' own lines and columns; nothing for
 * what has no stack. Never throws.
 */
export function describeStack(error: unknown): string[] {
  try {
    return framesOf(error)
  } catch {
    return []
  }
}

function framesOf(error: unknown): string[] {
  if (error instanceof CellSyntaxError) return error.cell === undefined ? [] : [`at cell ${error.cell}:${error.line}:${error.column}`]
  const stack: unknown = (error as { stack?: unknown } | null | undefined)?.stack
  if (typeof stack !== 'string') return []
  const frames: string[] = []
  for (const line of apply(split, stack, ['\n']) as string[]) {
    const found = apply(exec, FRAME, [inOwnPlaces(line)]) as RegExpExecArray | null
    if (found === null) continue
    frames[frames.length] = describe(found[2] ?? '', found[1] ?? '', `cell ${found[3]}`)
    if (frames.length === MOST_FRAMES) break
  }
  return frames
}

/** A line of a stack with the places in compiled code of cells as they are in the cells' own text. */
export function inOwnPlaces(line: string): string {
  if (!isOfCell(line)) return line
  const awaited = apply(includes, line, ['at async ']) as boolean
  return apply(replace, line, [PLACE, (_: string, number: string, row: string, column: string) => {
    const place = originalPosition(Number(number), Number(row), Number(column), awaited)
    return `cell ${number}:${place.line}:${place.column}`
  }]) as string
}

function describe(name: string, prefix: string, place: string): string {
  const anonymous = name === '' || name === '<anonymous>' || (apply(startsWith, name, [MARK]) as boolean)
  return anonymous ? `at ${prefix}${place}` : `at ${prefix}${name} (${place})`
}
