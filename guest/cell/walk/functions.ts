import type { ESTree } from 'meriyah'
import { lexicalNames, patternNames, varNames } from '../declared.ts'
import { bind, binds, type OwnName, type Scope, scopeIn, withArguments } from '../scopes.ts'
import { PatternWalk } from './patterns.ts'

type FunctionNode = ESTree.FunctionDeclaration | ESTree.FunctionExpression | ESTree.ArrowFunctionExpression

/** Functions and classes: code with scopes of its own. */
export abstract class FunctionWalk extends PatternWalk {
  protected functionDeclaration(node: ESTree.FunctionDeclaration, scope: Scope): void {
    const name = node.id?.name
    if (scope.kind !== 'top' || name === undefined || binds(scope, name)) return this.functionNode(node, scope)
    const own: OwnName = { refs: [], written: false }
    const ownScope = scopeIn(scope, 'block', false, own)
    bind(ownScope, name)
    this.functionNode(node, ownScope)
    if (own.written) this.names.keep(own.refs)
    this.functions.push({ node, name, rebindsItself: own.written })
  }

  protected functionNode(node: FunctionNode, outer: Scope): void {
    let scope = outer
    if (node.type === 'FunctionExpression' && node.id) {
      scope = scopeIn(outer, 'block')
      bind(scope, node.id.name)
    }
    const params = scopeIn(scope, 'function', node.type !== 'ArrowFunctionExpression')
    for (const param of node.params) patternNames(param, ({ name }) => { bind(params, name) })
    for (const param of node.params) this.defaults(param, params)
    const { body } = node
    if (!body) return
    if (body.type === 'BlockStatement') this.body(body.body, params)
    else this.visit(body, params)
  }

  protected body(statements: readonly ESTree.Node[], outer: Scope): void {
    const scope = scopeIn(outer, 'function')
    const declare = (name: string) => { bind(scope, name) }
    for (const statement of statements) varNames(statement, declare)
    lexicalNames(statements, declare)
    this.list(statements, scope)
  }

  protected classNode(node: ESTree.ClassDeclaration | ESTree.ClassExpression, outer: Scope): void {
    const scope = scopeIn(outer, 'block')
    if (node.id) bind(scope, node.id.name)
    if (node.decorators) for (const decorator of node.decorators) this.visit(decorator.expression, outer)
    this.visit(node.superClass, scope)
    for (const member of node.body.body as ESTree.Node[]) this.member(member, scope)
  }

  protected member(node: ESTree.Node, scope: Scope): void {
    if (node.type === 'StaticBlock') return this.body(node.body, withArguments(scope))
    if (node.type !== 'MethodDefinition' && node.type !== 'PropertyDefinition' && node.type !== 'AccessorProperty') return this.visit(node, scope)
    if (node.decorators) for (const decorator of node.decorators) this.visit(decorator.expression, scope)
    if (node.computed) this.visit(node.key, scope)
    this.visit(node.value, node.type === 'MethodDefinition' ? scope : withArguments(scope))
  }
}
