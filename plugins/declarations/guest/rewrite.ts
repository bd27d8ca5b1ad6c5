import type { ESTree } from 'meriyah'
import type { ParsedCell } from '../../../guest/guest.ts'
import { from, to } from '../../../guest/cell/parse.ts'
import { RUNTIME } from '../../../guest/cell/private-names.ts'
import type { TopDeclaration, TopFunction } from '../../../guest/cell/scope.ts'
import { rewriteModuleForms } from './module-forms.ts'

/**
 * Declarations become assignments where they stand. Functions and imports become generated functions where they
 * stand, which a line before the first statement calls: bound first, as in a module, and every line keeps its place.
 */
export function rewriteDeclarations(cell: ParsedCell): void {
  const head: string[] = []
  for (const declaration of cell.scope.declarations) assign(cell, declaration)
  for (const node of cell.scope.classes) assignClass(cell, node)
  rewriteModuleForms(cell, head)
  cell.scope.functions.forEach((each, index) => hoist(cell, each, `${RUNTIME}${index + 1}`, head))
  for (const [name, kind] of cell.scope.declared) if (kind === 'var') head.push(`${RUNTIME}.var(${JSON.stringify(name)});`)
  cell.atEnd(() => cell.edits.prepend(head.join('')))
}

function assign({ text, edits }: ParsedCell, { node, place }: TopDeclaration): void {
  const [first] = node.declarations
  if (first === undefined) return
  const opens = first.id.type === 'Identifier' ? '' : place === 'list' ? ';' : ''
  edits.update(from(node), from(node) + node.kind.length, opens)
  for (const { id, init, ...declarator } of node.declarations) {
    if (place === 'each') continue
    if (init === null && id.type === 'Identifier') {
      if (node.kind === 'var') edits.update(from(id), to(id), '0')
      else edits.appendLeft(to(id), ' = undefined')
    }
    if (id.type !== 'ObjectPattern') continue
    edits.prependRight(from(id), '(')
    edits.appendLeft(to(declarator), ')')
  }
  if ((place === 'list' || place === 'body') && text[to(node) - 1] !== ';') edits.appendLeft(to(node), ';')
}

function assignClass(cell: ParsedCell, node: ESTree.ClassDeclaration): void {
  const name = node.id?.name ?? ''
  cell.edits.appendLeft(to(node), ';')
  cell.atEnd(() => cell.edits.prependRight(from(node), `${cell.ref(name, 'write')} = `))
}

function hoist(cell: ParsedCell, { node, name, rebindsItself }: TopFunction, hoister: string, head: string[]): void {
  head.push(`${hoister}();`)
  const { edits } = cell
  // A function that assigns its own name must not have that name inside: it would be a constant there.
  const [open, close] = rebindsItself ? [`({${JSON.stringify(name)}: `, `})[${JSON.stringify(name)}]`] : ['', '']
  if (rebindsItself && node.id) edits.update(from(node.id), to(node.id), '')
  edits.appendLeft(to(node), `${close}; }`)
  cell.atEnd(() => edits.prependRight(from(node), `function ${hoister}() { ${cell.ref(name, 'write')} = ${open}`))
}
