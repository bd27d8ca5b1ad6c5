/**
 * Where people look for a call: at its name, at `new`, at `await`. Engines give the opening parenthesis instead, bun at every
 * call (and the dot of a property), node where the callee was rewritten. `offset` counts from 0 in the text.
 */
export function siteStart(text: string, offset: number, awaited: boolean): number {
  const at = text[offset]
  if (at === '.' || at === '?') return offset + (/^\??\.\s*/.exec(text.slice(offset, offset + 20))?.[0].length ?? 0)
  if (at !== '(' && at !== '`') return offset
  const callee = /([\p{ID_Continue}$#]+)\s*$/u.exec(text.slice(Math.max(0, offset - 200), offset))
  if (callee === null) return offset
  const before = text.slice(Math.max(0, offset - 400), offset)
  const name = offset - callee[0].length
  if (awaited) return offset - (/\bawait\s+(?:new\s+)?[\p{ID_Continue}$#.?\s]+$/u.exec(before)?.[0].length ?? callee[0].length)
  return offset - (/\bnew\s+[\p{ID_Continue}$#.\s]+$/u.exec(before)?.[0].length ?? offset - name)
}
