/* eslint-disable @typescript-eslint/switch-exhaustiveness-check -- a tree has eighty kinds of nodes: those not named here are walked alike */
import type { ESTree } from 'meriyah'
import { type BindingKind, lexicalNames, varNames } from '../declared.ts'
import { CALL, NEW, READ } from '../name-refs.ts'
import { from, to } from '../parse.ts'
import type { ScopeAnalysis } from '../scope.ts'
import { bind, isLocal, type Scope, scopeIn } from '../scopes.ts'
import type { Child } from './base.ts'
import { StatementWalk } from './statements.ts'

/** One pass over a cell's tree that resolves its identifiers; used once. */
export class Walker extends StatementWalk {
  run(tree: ESTree.Program): ScopeAnalysis {
    const top = scopeIn(null, 'top')
    const declare = (name: string, kind: BindingKind) => {
      if (kind === 'using' || this.isPrivate(name)) bind(top, name)
      else this.declared.set(name, kind)
    }
    varNames(tree, declare)
    lexicalNames(tree.body, declare)
    this.list(tree.body, top)
    const { declared, numbers, names: { refs, written, unnamed }, functions, classes, declarations, imports, metas, catches, handlers, htmlOpens, shellNames, callsEval } = this
    return { declared, numbers, refs, written, unnamed, functions, classes, declarations, imports, metas, catches, handlers, htmlOpens, shellNames, callsEval, strict: isStrict(tree) }
  }

  protected visit(node: Child, scope: Scope): void {
    if (!node) return
    switch (node.type) {
      case 'Identifier': return this.names.use(node, scope, READ)
      case 'FunctionExpression': case 'ArrowFunctionExpression': return this.functionNode(node, scope)
      case 'ClassExpression': case 'ClassDeclaration': return this.classNode(node, scope)
      case 'FunctionDeclaration': return this.functionDeclaration(node, scope)
      case 'MemberExpression':
        this.visit(node.object, scope)
        if (node.computed) this.visit(node.property, scope)
        return
      case 'Property': return this.property(node, scope)
      case 'CallExpression':
        if (node.callee.type === 'Identifier') this.callee(node.callee, scope)
        else this.visit(node.callee, scope)
        this.handler(node)
        return this.all(node.arguments, scope)
      case 'NewExpression':
        if (node.callee.type === 'Identifier') this.names.use(node.callee, scope, NEW)
        else this.visit(node.callee, scope)
        return this.all(node.arguments, scope)
      case 'TaggedTemplateExpression':
        if (node.tag.type === 'Identifier') this.names.use(node.tag, scope, CALL)
        else this.visit(node.tag, scope)
        if (isShell(node.tag)) for (const part of node.quasi.expressions) if (part.type === 'Identifier') this.shellNames.push(part.name)
        return this.visit(node.quasi, scope)
      case 'UnaryExpression':
        if (node.operator === 'typeof' && node.argument.type === 'Identifier') this.names.use(node.argument, scope, { use: 'typeof', node })
        else this.visit(node.argument, scope)
        return
      case 'UpdateExpression':
        if (node.argument.type === 'Identifier') this.numbers.add(node.argument.name)
        return this.target(node.argument, scope)
      case 'AssignmentExpression': return this.assignment(node, scope)
      case 'BinaryExpression':
        if (node.operator.endsWith('<') && this.text.startsWith('<!--', from(node.right) - 1)) this.htmlOpens.push(from(node.right))
        this.visit(node.left, scope)
        return this.visit(node.right, scope)
      case 'ImportExpression':
        this.imports.push(node)
        this.visit(node.source, scope)
        return this.visit(node.options, scope)
      case 'MetaProperty':
        if (node.meta.name === 'import') this.metas.push(node)
        return
      case 'Literal': case 'TemplateElement': case 'PrivateIdentifier': return
      default: return this.children(node, scope)
    }
  }

  private children(node: ESTree.Node, scope: Scope): void {
    for (const key in node) {
      if (key === 'type' || key === 'start' || key === 'end' || key === 'range') continue
      const value = (node as unknown as Record<string, unknown>)[key]
      if (Array.isArray(value)) this.all(value as Child[], scope)
      else if (typeof value === 'object' && value !== null && 'type' in value) this.visit(value as ESTree.Node, scope)
    }
  }

  /** Notes what will be told of a rejection: `.catch(handler)`, `.then(…, handler)`. */
  private handler({ callee, arguments: given }: ESTree.CallExpression): void {
    if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier') return
    const { name } = callee.property
    const handler = name === 'catch' ? given[0] : name === 'then' && given.length === 2 ? given[1] : undefined
    if (handler && takesError(handler)) this.handlers.push({ start: from(handler), end: to(handler) })
  }

  private callee(node: ESTree.Identifier, scope: Scope): void {
    if (node.name === 'eval' && !isLocal('eval', scope)) this.callsEval = true
    else this.names.use(node, scope, CALL)
  }
}

function takesError(node: ESTree.Node): boolean {
  if (node.type === 'ArrowFunctionExpression' || node.type === 'FunctionExpression') return node.params.length > 0
  return node.type !== 'SpreadElement' && node.type !== 'Literal'
}

/** The tag of a shell command: `$`, or the `$` of something such as Bun. */
function isShell(tag: ESTree.Node): boolean {
  const name = tag.type === 'MemberExpression' && !tag.computed ? tag.property : tag
  return name.type === 'Identifier' && name.name === '$'
}

function isStrict(tree: ESTree.Program): boolean {
  for (const statement of tree.body) {
    if (statement.type !== 'ExpressionStatement' || statement.directive === undefined) return false
    if (statement.directive === 'use strict') return true
  }
  return false
}
