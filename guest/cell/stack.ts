import { MARK } from './private-names.ts'
import { originalPosition } from './positions.ts'
import { CellSyntaxError } from './syntax-error.ts'

const FRAME = /^\s*at (async )?(?:(.*?) \()?cell (\d+):(\d+):(\d+)\)?$/
/** Frames shown of one error: what a recursion without end leaves says no more in the next thousand. */
const MOST_FRAMES = 40

const { exec } = RegExp.prototype
const { split, startsWith } = String.prototype
const { apply } = Reflect

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
    const found = apply(exec, FRAME, [line]) as RegExpExecArray | null
    if (found === null) continue
    const number = Number(found[3])
    const place = originalPosition(number, Number(found[4]), Number(found[5]), found[1] !== undefined)
    frames[frames.length] = describe(found[2] ?? '', found[1] ?? '', `cell ${number}:${place.line}:${place.column}`)
    if (frames.length === MOST_FRAMES) break
  }
  return frames
}

function describe(name: string, prefix: string, place: string): string {
  const anonymous = name === '' || name === '<anonymous>' || (apply(startsWith, name, [MARK]) as boolean)
  return anonymous ? `at ${prefix}${place}` : `at ${prefix}${name} (${place})`
}
