import type { CellView, Line, Ruler } from './layout.ts'
import { layoutCell } from './layout.ts'
import { type Palette, paint } from './paint.ts'

/** What pi draws: lines for a width. */
export interface Component { render(width: number): string[]; invalidate(): void }

export interface CellSight { readonly view: CellView; readonly expanded: boolean }

/** Draws a cell. pi asks for every line of the whole session at each frame, so lines are kept until something changes. */
export class CellComponent implements Component {
  private readonly ruler: Ruler
  private readonly truncate: (line: string, width: number) => string
  private sight: CellSight
  private palette: Palette
  private kept: { readonly width: number; readonly lines: string[] } | undefined

  constructor(sight: CellSight, palette: Palette, ruler: Ruler, truncate: (line: string, width: number) => string) {
    this.sight = sight
    this.palette = palette
    this.ruler = ruler
    this.truncate = truncate
  }

  show(sight: CellSight, palette: Palette): void {
    this.sight = sight
    this.palette = palette
    this.kept = undefined
  }

  render(width: number): string[] {
    if (this.kept?.width !== width) this.kept = { width, lines: this.draw(width) }
    return this.kept.lines
  }

  invalidate(): void { this.kept = undefined }

  private draw(width: number): string[] {
    const { view, expanded } = this.sight
    const { measure } = this.ruler
    const lines = layoutCell(view, { width, expanded }, this.ruler).map((line: Line) => paint(line, view.status, this.palette, width, measure))
    // A line that is too wide ends pi; what the layout promises is checked once more where it matters.
    return lines.map(line => measure(line) > width ? this.truncate(line, width) : line)
  }
}

/** Takes no room: the result of a cell is drawn in its one component. */
export const NOTHING: Component = { render: () => [], invalidate: () => {} }
