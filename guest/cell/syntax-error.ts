import { lineAt } from './lines.ts'

/** A cell that cannot be read; `line` and `column` count from 1 in the cell's own text. */
export class CellSyntaxError extends SyntaxError {
  readonly code = 'CELL_SYNTAX'
  readonly line: number
  readonly column: number
  /** The cell it is about, once that is known. */
  cell: number | undefined

  private readonly reason: string

  constructor(reason: string, text: string, offset: number, length = 1) {
    const place = lineAt(text, offset)
    super(`${reason} (${place.line}:${place.column})\n${frame(place.text, place.line, place.column, length)}`)
    this.name = 'SyntaxError'
    this.reason = reason
    this.line = place.line
    this.column = place.column
  }

  /** The same error about a place in another text. */
  at(text: string, offset: number): CellSyntaxError { return new CellSyntaxError(this.reason, text, offset) }
}

const SHOWN = 160

/** The line with a caret under the place; a long line is cut around it. */
function frame(text: string, line: number, column: number, length: number): string {
  const from = column > SHOWN / 2 ? column - SHOWN / 2 : 0
  const shown = text.slice(from, from + SHOWN)
  const gutter = `  ${line} | `
  const indent = shown.slice(0, column - 1 - from).replace(/[^\t]/g, ' ')
  const carets = '^'.repeat(Math.max(1, Math.min(length, shown.length - indent.length)))
  return `${gutter}${shown}\n${' '.repeat(gutter.length - 2)}| ${indent}${carets}`
}
