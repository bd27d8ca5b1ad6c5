/* eslint-disable @typescript-eslint/switch-exhaustiveness-check -- a tree has eighty kinds of nodes: those not named here are walked alike */
import type { ESTree } from 'meriyah'
import { lexicalNames, patternNames } from '../declared.ts'
import { from, to } from '../parse.ts'
import type { TopDeclaration } from '../scope.ts'
import { bind, binds, type Scope, scopeIn, varScope } from '../scopes.ts'
import type { Child } from './base.ts'
import { FunctionWalk } from './functions.ts'

/** Statements, and the scopes that blocks, loops and catch clauses open. */
export abstract class StatementWalk extends FunctionWalk {
  protected statement(node: Child, scope: Scope, place: 'list' | 'body' = 'body'): void {
    if (!node) return
    switch (node.type) {
      case 'VariableDeclaration': return this.variables(node, scope, place)
      case 'FunctionDeclaration': return this.functionDeclaration(node, scope)
      case 'ClassDeclaration':
        if (scope.kind === 'top' && node.id && !binds(scope, node.id.name)) this.classes.push(node)
        return this.classNode(node, scope)
      case 'BlockStatement': return this.block(node.body, scope)
      case 'IfStatement':
        this.visit(node.test, scope)
        this.statement(node.consequent, scope)
        return this.statement(node.alternate, scope)
      case 'ForStatement': return this.forLoop(node, scope)
      case 'ForInStatement': case 'ForOfStatement': return this.forEach(node, scope)
      case 'WhileStatement': this.visit(node.test, scope); return this.statement(node.body, scope)
      case 'DoWhileStatement': this.statement(node.body, scope); return this.visit(node.test, scope)
      case 'SwitchStatement': return this.switchStatement(node, scope)
      case 'LabeledStatement': return this.statement(node.body, scope)
      case 'TryStatement':
        this.statement(node.block, scope)
        if (node.handler) this.catchClause(node.handler, scope)
        return this.statement(node.finalizer, scope)
      case 'BreakStatement': case 'ContinueStatement': case 'ImportDeclaration': case 'ExportAllDeclaration': return
      case 'ExportNamedDeclaration': return this.statement(node.declaration, scope, 'list')
      case 'ExportDefaultDeclaration': return this.statement(node.declaration, scope, 'list')
      default: return this.visit(node, scope)
    }
  }

  protected variables(node: ESTree.VariableDeclaration, scope: Scope, place: TopDeclaration['place']): void {
    if (!this.bindsNotebook(node, scope)) {
      for (const { id, init } of node.declarations) {
        this.defaults(id, scope)
        this.visit(init, scope)
      }
      return
    }
    this.declarations.push({ node, place })
    for (const { id, init } of node.declarations) {
      if (init === null && place !== 'each' && id.type === 'Identifier' && node.kind === 'var') continue
      this.target(id, scope)
      if (init) this.names.named(id, init, scope)
      if (id.type === 'Identifier' && isNumber(init)) this.numbers.add(id.name)
      this.visit(init, scope)
    }
  }

  protected bindsNotebook(node: ESTree.VariableDeclaration, scope: Scope): boolean {
    if (node.kind === 'using' || node.kind === 'await using') return false
    const owner = node.kind === 'var' ? varScope(scope) : scope
    if (owner.kind !== 'top') return false
    let isPrivate = false
    for (const { id } of node.declarations) patternNames(id, ({ name }) => { if (binds(owner, name)) isPrivate = true })
    return !isPrivate
  }

  protected block(statements: readonly ESTree.Node[], outer: Scope): void {
    const scope = scopeIn(outer, 'block')
    lexicalNames(statements, name => { bind(scope, name) })
    this.list(statements, scope)
  }

  protected forLoop(node: ESTree.ForStatement, outer: Scope): void {
    const scope = scopeIn(outer, 'block')
    if (node.init?.type === 'VariableDeclaration') this.loopHead(node.init, scope, 'for')
    else this.visit(node.init, scope)
    this.visit(node.test, scope)
    this.visit(node.update, scope)
    this.statement(node.body, scope)
  }

  protected forEach(node: ESTree.ForInStatement | ESTree.ForOfStatement, outer: Scope): void {
    const scope = scopeIn(outer, 'block')
    if (node.left.type === 'VariableDeclaration') this.loopHead(node.left, scope, 'each')
    else this.target(node.left, scope)
    this.visit(node.right, scope)
    this.statement(node.body, scope)
  }

  protected loopHead(node: ESTree.VariableDeclaration, scope: Scope, place: 'for' | 'each'): void {
    lexicalNames([node], name => { bind(scope, name) })
    this.variables(node, scope, place)
  }

  protected switchStatement(node: ESTree.SwitchStatement, outer: Scope): void {
    this.visit(node.discriminant, outer)
    const scope = scopeIn(outer, 'block')
    for (const each of node.cases) lexicalNames(each.consequent, name => { bind(scope, name) })
    for (const each of node.cases) {
      this.visit(each.test, scope)
      this.list(each.consequent, scope)
    }
  }

  protected catchClause(node: ESTree.CatchClause, outer: Scope): void {
    const scope = scopeIn(outer, 'block')
    patternNames(node.param, ({ name }) => { bind(scope, name) })
    if (node.param) this.catches.push({ name: node.param.type === 'Identifier' ? node.param.name : undefined, from: from(node.param), to: to(node.param), start: from(node.body) + 1 })
    this.defaults(node.param, scope)
    this.block(node.body.body, scope)
  }
}

function isNumber(node: ESTree.Node | null): boolean {
  if (node?.type === 'UnaryExpression') return (node.operator === '-' || node.operator === '+') && isNumber(node.argument)
  return node?.type === 'Literal' && typeof node.value === 'number'
}
