/* eslint-disable @typescript-eslint/switch-exhaustiveness-check -- a tree has eighty kinds of nodes: those not named here bind nothing of interest */
import type { ESTree } from 'meriyah'
import type { ParsedCell } from '../guest.ts'
import { from, to } from './parse.ts'
import { RUNTIME } from './private-names.ts'

/** Makes the value of the trailing expression the cell's result; answers where that statement starts, -1 without one. */
export function captureResult(cell: ParsedCell): number {
  const statement = lastStatement(cell.tree.body)
  if (statement === undefined) return -1
  const start = statement.type === 'ExportDefaultDeclaration' ? from(statement.declaration) : from(statement)
  const end = to(statement)
  // The await keeps the cell's own frame in the stack of what rejects.
  cell.edits.prependRight(start, `return await ${RUNTIME}.held(`)
  cell.edits.appendLeft(cell.text[end - 1] === ';' ? end - 1 : end, ')')
  return start
}

/** The last statement that does something, when it is an expression. Functions are declared before, wherever they stand. */
function lastStatement(body: readonly ESTree.Node[]): ESTree.ExpressionStatement | ESTree.ExportDefaultDeclaration | undefined {
  for (let at = body.length - 1; at >= 0; at--) {
    const statement = body[at]
    if (statement === undefined || isInert(statement)) continue
    if (statement.type === 'ExpressionStatement') return statement.directive === 'use strict' ? undefined : statement
    return statement.type === 'ExportDefaultDeclaration' && statement.declaration.type !== 'ClassDeclaration' ? statement : undefined
  }
  return undefined
}

function isInert(node: ESTree.Node): boolean {
  switch (node.type) {
    case 'EmptyStatement': case 'FunctionDeclaration': return true
    case 'ExportNamedDeclaration': return node.source === null && (node.declaration === null || isInert(node.declaration))
    case 'ExportDefaultDeclaration': return node.declaration.type === 'FunctionDeclaration' && node.declaration.id !== null
    default: return false
  }
}
