import { clean } from './clean.ts'
import { duration } from './duration.ts'
import { preview } from './preview.ts'
import { fit, type Measure, spaces, wrap, wrapWords } from './width.ts'

/** Where a cell stands. `lost`: its session ended before it did. */
export type CellStatus = 'writing' | 'waiting' | 'running' | 'ok' | 'error' | 'cancelled' | 'lost'

export type SectionKind = 'notice' | 'late' | 'stdout' | 'stderr' | 'result' | 'error'
export interface Section { readonly kind: SectionKind; readonly text: string }

/** A cell as the view sees it. */
export interface CellView {
  readonly status: CellStatus
  readonly code: string
  readonly sections: readonly Section[]
  /** Lines printed so far, when the sections hold only the last of them. */
  readonly linesOut?: number
  /** There was more than the sections hold. */
  readonly cut?: boolean
  readonly durationMs?: number
  readonly errorName?: string
  /** What its child agents show beneath it, and a word about those that are done. */
  readonly frames?: (width: number) => readonly Line[]
  readonly framesChip?: Chip
}

/** A word in its whole length, and one for where there is little room. */
export interface Chip { readonly long: string; readonly short: string }

export type Style = 'plain' | 'glyph' | 'title' | 'muted' | 'output' | 'error' | 'warning' | 'label'
/** `painted`: the text brings its own colours. */
export interface Span { readonly text: string; readonly style: Style | 'painted' }
export type Line = readonly Span[]

/** What the layout borrows from the terminal library. */
export interface Ruler {
  readonly measure: Measure
  /** The code in colours, one entry a line. */
  readonly highlight: (code: string) => readonly string[]
  /** A line with colours, in pieces no wider than `width`. */
  readonly wrapPainted: (line: string, width: number) => readonly string[]
}

export interface Room { readonly width: number; readonly expanded: boolean }

const GLYPHS: Readonly<Record<CellStatus, string>> = { writing: '◌', waiting: '○', running: '●', ok: '✓', error: '✗', cancelled: '⊘', lost: '?' }
/** Lines of output under the row of a cell that runs. */
const LIVE_LINES = 4
const GAP = ' · '

/** A cell as lines of at most `width` columns: one row, and the whole of it when expanded. */
export function layoutCell(cell: CellView, room: Room, ruler: Ruler): Line[] {
  const width = Math.max(1, room.width)
  const head = row(cell, width, ruler.measure)
  const body = room.expanded ? whole(cell, width, ruler) : live(cell, width, ruler.measure)
  return [head, ...body, ...(cell.frames?.(width) ?? []).map(line => clip(line, width, ruler.measure))]
}

/** Glyph, preview, facts. The preview gives way first, then the lesser facts as wholes; the glyph always stays. */
export function row(cell: CellView, width: number, measure: Measure): Line {
  const glyph: Span = { text: GLYPHS[cell.status], style: 'glyph' }
  const facts = factsThatFit(cell, width - 2, measure)
  const size = facts.reduce((sum, fact) => sum + measure(fact.text), 0)
  const left = width - 1 - (size > 0 ? size + 1 : 0)
  const text = left > 3 ? fit(preview(cell.code), left - 1, measure) : ''
  const body = text === '' ? '' : ` ${text}`
  const padding = spaces(width - 1 - measure(body) - size)
  return [glyph, { text: body, style: 'title' }, ...(size > 0 ? [{ text: padding, style: 'plain' } as Span, ...facts] : [])]
}

/** The facts of a row in reading order; where there is little room the most telling are kept. */
function factsThatFit(cell: CellView, width: number, measure: Measure): Span[] {
  const facts = factsOf(cell, width, measure)
  const kept = new Set<Fact>()
  let left = width
  for (const fact of [...facts].sort((a, b) => b.rank - a.rank)) {
    const size = measure(fact.text) + (kept.size > 0 ? GAP.length : 0)
    if (size > left) continue
    kept.add(fact)
    left -= size
  }
  return facts.filter(fact => kept.has(fact)).flatMap(({ text, style }, index) => [...(index > 0 ? [{ text: GAP, style: 'muted' } as Span] : []), { text, style }])
}

interface Fact { readonly text: string; readonly style: Style; readonly rank: number }

function factsOf(cell: CellView, width: number, measure: Measure): Fact[] {
  const linesIn = lineCount(cell.code)
  const linesOut = cell.linesOut ?? cell.sections.reduce((sum, section) => sum + (section.kind === 'notice' ? 0 : lineCount(section.text)), 0)
  const name = cell.errorName ?? (cell.status === 'cancelled' ? 'cancelled' : undefined)
  return [
    ...(cell.framesChip === undefined ? [] : [{ text: chipIn(cell.framesChip, width, measure), style: 'muted' as const, rank: 2 }]),
    ...(name === undefined ? [] : [{ text: oneLine(name), style: 'error' as const, rank: 4 }]),
    { text: `${linesIn} in`, style: 'muted', rank: 0 },
    ...(cell.status === 'writing' || cell.status === 'waiting' ? [] : [{ text: `${linesOut}${cell.cut === true ? '+' : ''} out`, style: 'muted' as const, rank: 1 }]),
    ...(cell.durationMs === undefined ? [] : [{ text: duration(cell.durationMs), style: 'muted' as const, rank: 3 }]),
  ]
}

/** The whole of a chip must leave half of a row to the others. */
const chipIn = ({ long, short }: Chip, width: number, measure: Measure): string => measure(oneLine(long)) <= width / 2 ? oneLine(long) : oneLine(short)

const oneLine = (text: string): string => clean(text).replaceAll('\n', ' ')

export const lineCount = (text: string): number => text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)

/** The last lines of a cell that runs. */
function live(cell: CellView, width: number, measure: Measure): Line[] {
  if (cell.status !== 'running') return []
  const printed = cell.sections.filter(section => section.kind === 'stdout' || section.kind === 'stderr')
  const lines = printed.flatMap(section => bodyLines(section.text).map(text => ({ text, kind: section.kind })))
  return lines.slice(-LIVE_LINES).map(({ text, kind }) => indented(fit(text, width - 2, measure), kind === 'stderr' ? 'warning' : 'output', width))
}

/** Code, output, result and stack, each line wrapped. */
function whole(cell: CellView, width: number, ruler: Ruler): Line[] {
  const inner = Math.max(1, width - indent(width))
  const code = ruler.highlight(clean(cell.code).trimEnd()).flatMap(line => ruler.wrapPainted(line, inner))
    // Where a single character is wider than the terminal, nothing can be wrapped.
    .map(line => ruler.measure(line) > inner ? '·'.repeat(inner) : line)
  return [
    ...code.map(text => indented(text, 'painted', width)),
    ...cell.sections.flatMap(section => sectionLines(section, inner, width, ruler.measure)),
  ]
}

const STYLES: Readonly<Record<SectionKind, Style>> = { notice: 'warning', late: 'muted', stdout: 'output', stderr: 'warning', result: 'plain', error: 'error' }

/** What is written for people; output is broken where the terminal would break it. */
const IN_WORDS: ReadonlySet<SectionKind> = new Set(['notice', 'error'])

function sectionLines(section: Section, inner: number, width: number, measure: Measure): Line[] {
  const label = `── ${section.kind}`
  return [
    indented(fit(label, inner, measure), 'label', width),
    ...bodyLines(section.text).flatMap(line => IN_WORDS.has(section.kind) ? wrapWords(line, inner, measure) : wrap(line, inner, measure)).map(text => indented(text, STYLES[section.kind], width)),
  ]
}

const bodyLines = (text: string): string[] => text === '' ? [] : clean(text).replace(/\n$/, '').split('\n')

const indent = (width: number): number => width > 8 ? 2 : 0

const indented = (text: string, style: Span['style'], width: number): Line => [{ text: spaces(indent(width)), style: 'plain' }, { text, style }]

/** A line of somebody else, cut to the room there is. */
function clip(line: Line, width: number, measure: Measure): Line {
  let left = width
  return line.map(span => {
    const text = span.style === 'painted' ? span.text : fit(oneLine(span.text), left, measure)
    left -= measure(text)
    return { ...span, text }
  })
}
