/* eslint-disable @typescript-eslint/switch-exhaustiveness-check -- a tree has eighty kinds of nodes: those not named here bind nothing of interest */
import type { ESTree } from 'meriyah'

/** What kind of declaration bound a name; the others are local to their block or function. */
export type BindingKind = 'const' | 'let' | 'var' | 'function' | 'class' | 'import' | 'using'

type Declare = (name: string, kind: BindingKind) => void

/** Calls `found` for each identifier a pattern binds. */
export function patternNames(pattern: ESTree.Node | null, found: (identifier: ESTree.Identifier) => void): void {
  if (pattern === null) return
  if (pattern.type === 'Identifier') found(pattern)
  else if (pattern.type === 'AssignmentPattern') patternNames(pattern.left, found)
  else if (pattern.type === 'RestElement') patternNames(pattern.argument, found)
  else if (pattern.type === 'ArrayPattern') for (const element of pattern.elements) patternNames(element, found)
  else if (pattern.type === 'ObjectPattern') {
    for (const property of pattern.properties) patternNames(property.type === 'RestElement' ? property : property.value, found)
  }
}

/** Names that the statements of one block bind in it. */
export function lexicalNames(statements: readonly ESTree.Node[], declare: Declare): void {
  for (const statement of statements) lexicalName(statement, declare)
}

function lexicalName(node: ESTree.Node, declare: Declare): void {
  if (node.type === 'VariableDeclaration' && node.kind !== 'var') {
    const kind = node.kind === 'let' || node.kind === 'const' ? node.kind : 'using'
    for (const { id } of node.declarations) patternNames(id, identifier => declare(identifier.name, kind))
  } else if (node.type === 'FunctionDeclaration' && node.id) declare(node.id.name, 'function')
  else if (node.type === 'ClassDeclaration' && node.id) declare(node.id.name, 'class')
  else if (node.type === 'ImportDeclaration') for (const specifier of node.specifiers) declare(specifier.local.name, 'import')
  else if ((node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration') && node.declaration) lexicalName(node.declaration, declare)
}

/** Names of every `var` below a node that is not inside a function. */
export function varNames(node: ESTree.Node | null | undefined, declare: Declare): void {
  if (!node) return
  switch (node.type) {
    case 'VariableDeclaration':
      if (node.kind === 'var') for (const { id } of node.declarations) patternNames(id, identifier => declare(identifier.name, 'var'))
      break
    case 'IfStatement': varNames(node.consequent, declare); varNames(node.alternate, declare); break
    case 'ForStatement': varNames(node.init, declare); varNames(node.body, declare); break
    case 'ForInStatement': case 'ForOfStatement': varNames(node.left, declare); varNames(node.body, declare); break
    case 'WhileStatement': case 'DoWhileStatement': case 'LabeledStatement': case 'CatchClause': varNames(node.body, declare); break
    case 'BlockStatement': case 'Program': case 'StaticBlock': for (const child of node.body) varNames(child, declare); break
    case 'SwitchStatement': for (const each of node.cases) for (const child of each.consequent) varNames(child, declare); break
    case 'TryStatement': varNames(node.block, declare); varNames(node.handler, declare); varNames(node.finalizer, declare); break
    case 'ExportNamedDeclaration': varNames(node.declaration, declare); break
  }
}
