/* eslint-disable @typescript-eslint/switch-exhaustiveness-check -- a tree has eighty kinds of nodes: those not named here bind nothing of interest */
import type { ESTree } from 'meriyah'
import type { ParsedCell } from '../../../guest/guest.ts'
import { keepLines } from '../../../guest/cell/lines.ts'
import { from, to } from '../../../guest/cell/parse.ts'
import { MARK, RUNTIME } from '../../../guest/cell/private-names.ts'

/** Static imports load before the first statement; an `export` is its declaration, and a re-export loads its module. */
export function rewriteModuleForms(cell: ParsedCell, head: string[]): void {
  let loads = 0
  const load = (node: ESTree.Node, source: ESTree.StringLiteral, attributes: readonly ESTree.ImportAttribute[], specifiers: readonly ESTree.ImportClause[]) => {
    const loader = `${MARK}00${++loads}`
    head.push(`await ${loader}();`)
    const original = cell.text.slice(from(node), to(node))
    cell.atEnd(() => cell.edits.update(from(node), to(node), keepLines(`async function ${loader}() {${loading(cell, source, attributes, specifiers)}}`, original), true))
  }
  for (const node of cell.tree.body) {
    switch (node.type as ESTree.Node['type']) {
      case 'ImportDeclaration': {
        const { source, attributes, specifiers } = node as unknown as ESTree.ImportDeclaration
        load(node, source, attributes, specifiers)
        break
      }
      case 'ExportAllDeclaration': {
        const { source, attributes } = node as unknown as ESTree.ExportAllDeclaration
        load(node, source as ESTree.StringLiteral, attributes, [])
        break
      }
      case 'ExportNamedDeclaration': exportNamed(cell, node as unknown as ESTree.ExportNamedDeclaration, load); break
      case 'ExportDefaultDeclaration': exportDefault(cell, node as unknown as ESTree.ExportDefaultDeclaration); break
      default:
    }
  }
}

type Load = (node: ESTree.Node, source: ESTree.StringLiteral, attributes: readonly ESTree.ImportAttribute[], specifiers: readonly ESTree.ImportClause[]) => void

function exportNamed({ text, edits }: ParsedCell, node: ESTree.ExportNamedDeclaration, load: Load): void {
  if (node.source) return load(node, node.source, node.attributes, [])
  const end = node.declaration ? from(node.declaration) : to(node)
  edits.update(from(node), end, keepLines('', text.slice(from(node), end)))
}

function exportDefault({ text, edits }: ParsedCell, node: ESTree.ExportDefaultDeclaration): void {
  const { declaration } = node
  const start = from(declaration)
  const named = (declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration') && declaration.id
  edits.update(from(node), start, keepLines(named ? '' : ';', text.slice(from(node), start)))
  if (named) return
  edits.prependRight(start, '(')
  edits.appendLeft(text[to(node) - 1] === ';' ? to(node) - 1 : to(node), ')')
}

function loading(cell: ParsedCell, source: ESTree.StringLiteral, attributes: readonly ESTree.ImportAttribute[], specifiers: readonly ESTree.ImportClause[]): string {
  const specifier = JSON.stringify(source.value)
  const given = attributes.map(({ key, value }) => `${JSON.stringify(key.type === 'Identifier' ? key.name : key.value)}: ${JSON.stringify(value.value)}`)
  const options = given.length > 0 ? `, { with: { ${given.join(', ')} } }` : ''
  const used = new Set(cell.scope.refs.map(ref => ref.name))
  const binds = specifiers.map(each => {
    const target = cell.ref(each.local.name, 'write')
    if (each.type === 'ImportNamespaceSpecifier') return `${target} = ${MARK};`
    const name = JSON.stringify(each.type === 'ImportDefaultSpecifier' ? 'default' : each.imported.type === 'Identifier' ? each.imported.name : each.imported.value)
    // A name the cell never reads may be a type that was not marked as one.
    return `if (${RUNTIME}.has(${MARK}, ${name}, ${specifier}, ${!used.has(each.local.name)})) ${target} = ${MARK}[${name}];`
  })
  return `const ${MARK} = await ${RUNTIME}.import(${specifier}${options});${binds.join(' ')}`
}
