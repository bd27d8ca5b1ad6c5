/** A cell of a file. */
export interface FileCell {
  /** The text, with empty lines before it so that its lines are numbered as in the file. */
  readonly code: string
  /** Its first line in the file, counted from 1. */
  readonly line: number
  /** What the `// %%` line says, if anything. */
  readonly title: string
}

const MARK = /^\s*\/\/\s*%%(?:\s+(.*?))?\s*$/
const EMPTY = /^\s*(\/\/.*)?$/

/** Splits a file at its `// %%` lines; cells with nothing but comments in them are left out. */
export function splitCells(text: string): FileCell[] {
  const cells: FileCell[] = []
  let title = ''
  let start = 0
  let body: string[] = []
  const end = (): void => {
    if (body.some(line => !EMPTY.test(line))) cells.push({ code: '\n'.repeat(start) + body.join('\n'), line: start + 1, title })
  }
  withoutHashbang(text).split(/\r?\n/).forEach((line, index) => {
    const mark = MARK.exec(line)
    if (mark === null) { body.push(line); return }
    end()
    title = mark[1] ?? ''
    start = index + 1
    body = []
  })
  end()
  return cells
}

const withoutHashbang = (text: string): string => text.replace(/^\uFEFF?(#!.*)?/, '')
