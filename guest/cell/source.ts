import type { CellSource } from '../protocol.ts'

const FENCE = /^\s*(`{3,}|~{3,})[^\n`]*\r?\n([\s\S]*?)\r?\n?\s*\1\s*$/

/** A cell's text as code: a byte order mark, a hashbang line and a Markdown fence become blanks, so that places stay. */
export function readSource({ source }: CellSource): string {
  let text = source.startsWith('\uFEFF') ? ` ${source.slice(1)}` : source
  const fence = FENCE.exec(text)
  if (fence?.[2] !== undefined) {
    const start = text.indexOf('\n') + 1 + (text.slice(0, text.indexOf(fence[1] ?? '')).match(/\n/) ? text.slice(text.indexOf('\n') + 1).indexOf('\n') + 1 : 0)
    text = blank(text.slice(0, start)) + fence[2] + blank(text.slice(start + fence[2].length))
  }
  const hashbang = /^#!.*/.exec(text)?.[0] ?? ''
  return blank(hashbang) + text.slice(hashbang.length)
}

const blank = (text: string): string => text.replace(/[^\r\n]/g, ' ')

const INLINE_MAP = /\n\/\/# sourceMappingURL=data:application\/json[^,]*;base64,([\w+/=]+)\s*$/

/** A text and, when the last step put one at its end, the map of where it came from. */
export interface Mapped {
  readonly text: string
  readonly map: string | undefined
  /** Whether a top-level name stays local to the cell: that step made it, or says so in the map (`x_local_names`). */
  isLocal(name: string): boolean
}

/** Splits off a text the inline source map that a step put at its end; one that `source` came with is a comment. */
export function splitMap(given: string, source: string): Mapped {
  const found = given === source ? null : INLINE_MAP.exec(given)
  if (!found?.[1] || source.includes(found[1])) return { text: given, map: undefined, isLocal: () => false }
  const map = Buffer.from(found[1], 'base64').toString()
  const { sourcesContent: [original = ''] = [], x_local_names: locals = [] } = JSON.parse(map) as { sourcesContent?: string[]; x_local_names?: string[] }
  return { text: given.slice(0, found.index), map, isLocal: name => locals.includes(name) || !original.includes(name) }
}
