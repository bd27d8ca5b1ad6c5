import type { CellStatus, Line, Style } from './layout.ts'
import { spaces } from './width.ts'

/** The part of pi's theme that is used; its colour names are the same in all versions. */
export interface Palette {
  fg(color: never, text: string): string
  bg(color: never, text: string): string
  bold(text: string): string
}

const COLORS: Readonly<Record<Exclude<Style, 'glyph'>, string>> = { plain: 'text', title: 'toolTitle', muted: 'muted', output: 'toolOutput', error: 'error', warning: 'warning', label: 'dim' }
const GLYPH_COLORS: Readonly<Record<CellStatus, string>> = { writing: 'muted', waiting: 'muted', running: 'accent', ok: 'success', error: 'error', cancelled: 'warning', lost: 'warning' }
const BACKGROUNDS: Readonly<Record<CellStatus, string>> = {
  writing: 'toolPendingBg', waiting: 'toolPendingBg', running: 'toolPendingBg', ok: 'toolSuccessBg', error: 'toolErrorBg', cancelled: 'toolPendingBg', lost: 'toolErrorBg',
}

/** A laid-out line in the theme's colours, on the background of its status, over the whole width. */
export function paint(line: Line, status: CellStatus, palette: Palette, width: number, measure: (text: string) => number): string {
  const text = line.map(({ text: part, style }) => {
    if (part === '' || style === 'painted') return part
    const color = style === 'glyph' ? GLYPH_COLORS[status] : COLORS[style]
    return palette.fg(color as never, style === 'title' ? palette.bold(part) : part)
  }).join('')
  return palette.bg(BACKGROUNDS[status] as never, text + spaces(width - measure(text)))
}
