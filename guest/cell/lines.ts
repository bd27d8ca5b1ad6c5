/** A place in a text; both count from 1. */
export interface Position { readonly line: number; readonly column: number }

/** A place with the text of its line. */
export interface Place extends Position { readonly text: string }

/** Offset of each line's first character. CRLF, LF, CR and the two Unicode separators end a line, as in the language. */
export function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 13 && text.charCodeAt(at + 1) === 10) continue
    if (code === 10 || code === 13 || code === 0x2028 || code === 0x2029) starts.push(at + 1)
  }
  return starts
}

/** Index of the last start that is not after `offset`. */
export function lineIndex(starts: ArrayLike<number>, offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

export function lineAt(text: string, offset: number): Place {
  const starts = lineStarts(text)
  const line = lineIndex(starts, offset)
  const start = starts[line] ?? 0
  const end = starts[line + 1] ?? text.length
  return { line: line + 1, column: offset - start + 1, text: text.slice(start, end).replace(/[\r\n\u2028\u2029]+$/, '') }
}

/** `text` with as many line ends as `original` had, so that what follows keeps its line. */
export function keepLines(text: string, original: string): string {
  return text + original.replace(/[^\n]+/g, '')
}
