/** Columns a text takes on the terminal, as the terminal library in use counts them. */
export type Measure = (text: string) => number

/** One column in every terminal, unlike an ellipsis at the foot of the line. */
const ELLIPSIS = '⋯'
const segmenter = new Intl.Segmenter()
const ASCII = /^[\u0020-\u007e]*$/

/** The longest start of a text that fits, with an ellipsis when it was cut. */
export function fit(text: string, width: number, measure: Measure): string {
  if (width <= 0) return ''
  if (ASCII.test(text)) return text.length <= width ? text : text.slice(0, width - 1) + ELLIPSIS
  if (measure(text) <= width) return text
  const [head = ''] = wrap(text, width - 1, measure)
  return width === 1 ? ELLIPSIS : head + ELLIPSIS
}

/** A line in pieces no wider than `width`; a character that is wider itself is replaced. */
export function wrap(line: string, width: number, measure: Measure): string[] {
  if (width <= 0) return []
  if (ASCII.test(line)) return chunks(line, width)
  const lines: string[] = []
  let current = ''
  let used = 0
  for (const { segment } of segmenter.segment(line)) {
    const size = measure(segment)
    const shown = size > width ? '·'.repeat(width) : segment
    const columns = Math.min(size, width)
    if (used + columns > width) {
      lines.push(current)
      current = ''
      used = 0
    }
    current += shown
    used += columns
  }
  return [...lines, current]
}

/** A line in such pieces, broken between words where it can be; what goes on is indented as the line is. */
export function wrapWords(line: string, width: number, measure: Measure): string[] {
  if (measure(line) <= width) return [line]
  const [margin = ''] = /^ */.exec(line) ?? []
  const indent = margin.length <= width / 3 ? margin : ''
  const lines: string[] = []
  let current = indent
  for (const [, gap = '', word = ''] of line.slice(margin.length).matchAll(/( *)([^ ]+)/g)) {
    if (measure(current + gap + word) <= width) {
      current += gap + word
      continue
    }
    if (current !== indent) lines.push(current)
    const pieces = wrap(word, width - indent.length, measure).map(piece => indent + piece)
    lines.push(...pieces.slice(0, -1))
    current = pieces.at(-1) ?? indent
  }
  return [...lines, current]
}

function chunks(line: string, width: number): string[] {
  if (line.length <= width) return [line]
  return Array.from({ length: Math.ceil(line.length / width) }, (_, index) => line.slice(index * width, (index + 1) * width))
}

export const spaces = (count: number): string => ' '.repeat(Math.max(0, count))
