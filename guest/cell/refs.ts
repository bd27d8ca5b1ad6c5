import type { NameUse, ParsedCell } from '../guest.ts'
import type { Namespace } from '../namespace.ts'
import { keepLines } from './lines.ts'
import { CAUGHT, RUNTIME } from './private-names.ts'
import type { Caught } from './scope.ts'

/** How names are written when they are found by name: as they stand, but for the uses where the scope object would show. */
export function plainRef(name: string, use: NameUse): string {
  // The one name that the body itself has taken.
  if (name === RUNTIME && use !== 'typeof') return taken(use)
  switch (use) {
    case 'call': return `(0, ${name})`
    // The scope object answers for names that have no value yet; a plain `typeof` would read them.
    case 'typeof': return `${RUNTIME}.typeOf(${JSON.stringify(name)})`
    case 'read': case 'write': case 'shorthand': return name
  }
}

function taken(use: Exclude<NameUse, 'typeof'>): string {
  const found = `${RUNTIME}.names.${RUNTIME}`
  switch (use) {
    case 'call': return `(0, ${found})`
    case 'shorthand': return `${RUNTIME}: ${found}`
    case 'read': case 'write': return found
  }
}

/** Writes every reference of the cell as `ref` says. `resultAt` is where the result statement starts. */
export function writeRefs(cell: ParsedCell, space: Namespace, resultAt: number): void {
  const { text, edits, scope } = cell
  for (const { name, start, end, use, constructed, leads } of scope.refs) {
    const compiles = name === 'Function' && (use === 'call' || constructed) && !scope.declared.has(name) && !space.has(name)
    const written = compiles ? `${RUNTIME}.Function` : cell.ref(name, use)
    if (text.length > end - start && text.startsWith(written, start) && written.length === end - start) continue
    // A parenthesis here could make a call of the line before.
    edits.update(start, end, leads && start !== resultAt && written.startsWith('(') ? `;${written}` : written, true)
  }
  for (const node of scope.imports) {
    const open = text.indexOf('(', node.start)
    edits.update(node.start ?? 0, open, `${RUNTIME}.import`, true)
  }
  for (const node of scope.metas) edits.update(node.start ?? 0, node.end ?? 0, `${RUNTIME}.meta`, true)
  // An engine's own message quotes the rewritten text, which a cell must not come to see.
  for (const each of scope.catches) cleanCaught(cell, each)
  for (const { start, end } of scope.handlers) {
    edits.prependRight(start, `${RUNTIME}.handler(`)
    edits.appendLeft(end, ')')
  }
  // A script would read `<!--` as a comment.
  for (const at of scope.htmlOpens) edits.appendLeft(at, ' ')
}

/** The caught error is told in the author's names before the clause sees it; a pattern takes it apart after that. */
function cleanCaught({ text, edits }: ParsedCell, { name, from, to, start }: Caught): void {
  if (name !== undefined) return edits.appendLeft(start, ` ${RUNTIME}.caught(${name});`)
  edits.prependRight(from, `${CAUGHT}) { ${RUNTIME}.caught(${CAUGHT}); let `)
  edits.update(to, start, keepLines(` = ${CAUGHT};`, text.slice(to, start)))
}
