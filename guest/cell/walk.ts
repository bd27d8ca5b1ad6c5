/* eslint-disable @typescript-eslint/switch-exhaustiveness-check -- a tree has eighty kinds of nodes: those not named here are walked alike */
import type { ESTree } from 'meriyah'
import { type BindingKind, lexicalNames, patternNames, varNames } from './declared.ts'
import { CALL, NameCollector, NEW, READ, SHORTHAND, WRITE } from './name-refs.ts'
import { from } from './parse.ts'
import type { Caught, ScopeAnalysis, TopDeclaration, TopFunction } from './scope.ts'
import { isLocal, type OwnName, type Scope, scopeIn, varScope, withArguments } from './scopes.ts'

type FunctionNode = ESTree.FunctionDeclaration | ESTree.FunctionExpression | ESTree.ArrowFunctionExpression
type Child = ESTree.Node | null | undefined

/** One pass over a cell's tree that resolves its identifiers; used once. */
export class Walker {
  private readonly text: string
  private readonly isPrivate: (name: string) => boolean
  private readonly declared = new Map<string, BindingKind>()
  private readonly names = new NameCollector()
  private readonly functions: TopFunction[] = []
  private readonly classes: ESTree.ClassDeclaration[] = []
  private readonly declarations: TopDeclaration[] = []
  private readonly imports: ESTree.ImportExpression[] = []
  private readonly metas: ESTree.MetaProperty[] = []
  private readonly htmlOpens: number[] = []
  private readonly catches: Caught[] = []
  private readonly shellNames: string[] = []
  private callsEval = false

  constructor(text: string, isPrivate: (name: string) => boolean) {
    this.text = text
    this.isPrivate = isPrivate
  }

  run(tree: ESTree.Program): ScopeAnalysis {
    const top = scopeIn(null, 'top')
    const declare = (name: string, kind: BindingKind) => {
      if (kind === 'using' || this.isPrivate(name)) top.names.add(name)
      else this.declared.set(name, kind)
    }
    varNames(tree, declare)
    lexicalNames(tree.body, declare)
    this.list(tree.body, top)
    const { declared, names: { refs, written, unnamed }, functions, classes, declarations, imports, metas, catches, htmlOpens, shellNames, callsEval } = this
    return { declared, refs, written, unnamed, functions, classes, declarations, imports, metas, catches, htmlOpens, shellNames, callsEval, strict: isStrict(tree) }
  }

  private list(statements: readonly ESTree.Node[], scope: Scope): void {
    for (const statement of statements) {
      this.names.leadAt = from(statement)
      this.statement(statement, scope, 'list')
    }
  }

  private statement(node: Child, scope: Scope, place: 'list' | 'body' = 'body'): void {
    if (!node) return
    switch (node.type) {
      case 'VariableDeclaration': return this.variables(node, scope, place)
      case 'FunctionDeclaration': return this.functionDeclaration(node, scope)
      case 'ClassDeclaration':
        if (scope.kind === 'top' && node.id && !scope.names.has(node.id.name)) this.classes.push(node)
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

  private visit(node: Child, scope: Scope): void {
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
      case 'UpdateExpression': return this.target(node.argument, scope)
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

  private all(nodes: readonly Child[], scope: Scope): void {
    for (const node of nodes) this.visit(node, scope)
  }

  private children(node: ESTree.Node, scope: Scope): void {
    for (const key in node) {
      if (key === 'type' || key === 'start' || key === 'end' || key === 'range') continue
      const value = (node as unknown as Record<string, unknown>)[key]
      if (Array.isArray(value)) this.all(value as Child[], scope)
      else if (typeof value === 'object' && value !== null && 'type' in value) this.visit(value as ESTree.Node, scope)
    }
  }

  private callee(node: ESTree.Identifier, scope: Scope): void {
    if (node.name === 'eval' && !isLocal('eval', scope)) this.callsEval = true
    else this.names.use(node, scope, CALL)
  }

  private property(node: ESTree.Property, scope: Scope): void {
    if (node.computed) this.visit(node.key, scope)
    if (node.shorthand && node.value.type === 'Identifier') this.names.use(node.value, scope, SHORTHAND)
    else this.visit(node.value, scope)
  }

  private assignment(node: ESTree.AssignmentExpression, scope: Scope): void {
    this.target(node.left, scope)
    const { operator } = node
    if (operator === '=' || operator === '&&=' || operator === '||=' || operator === '??=') this.names.named(node.left, node.right, scope)
    this.visit(node.right, scope)
  }

  /** Something that is assigned to: a pattern whose identifiers are existing names. */
  private target(node: Child, scope: Scope): void {
    if (!node) return
    switch (node.type) {
      case 'Identifier': return this.names.use(node, scope, WRITE)
      case 'AssignmentPattern':
        this.target(node.left, scope)
        this.names.named(node.left, node.right, scope)
        return this.visit(node.right, scope)
      case 'RestElement': return this.target(node.argument, scope)
      case 'ArrayPattern': for (const element of node.elements) this.target(element, scope); return
      case 'ObjectPattern': for (const property of node.properties) this.targetProperty(property, scope); return
      default: return this.visit(node, scope)
    }
  }

  private targetProperty(node: ESTree.Property | ESTree.RestElement, scope: Scope): void {
    if (node.type === 'RestElement') return this.target(node.argument, scope)
    if (node.computed) this.visit(node.key, scope)
    if (!node.shorthand) return this.target(node.value, scope)
    const { value } = node
    if (value.type === 'Identifier') return this.names.use(value, scope, SHORTHAND, true)
    if (value.type !== 'AssignmentPattern' || value.left.type !== 'Identifier') return
    this.names.use(value.left, scope, SHORTHAND, true)
    this.names.named(value.left, value.right, scope)
    this.visit(value.right, scope)
  }

  /** Default values and computed keys of a pattern that declares local names. */
  private defaults(node: Child, scope: Scope): void {
    if (!node) return
    if (node.type === 'AssignmentPattern') {
      this.defaults(node.left, scope)
      this.visit(node.right, scope)
    } else if (node.type === 'RestElement') this.defaults(node.argument, scope)
    else if (node.type === 'ArrayPattern') for (const element of node.elements) this.defaults(element, scope)
    else if (node.type === 'ObjectPattern') {
      for (const property of node.properties) {
        if (property.type !== 'RestElement' && property.computed) this.visit(property.key, scope)
        this.defaults(property.type === 'RestElement' ? property.argument : property.value, scope)
      }
    }
  }

  private variables(node: ESTree.VariableDeclaration, scope: Scope, place: TopDeclaration['place']): void {
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
      this.visit(init, scope)
    }
  }

  private bindsNotebook(node: ESTree.VariableDeclaration, scope: Scope): boolean {
    if (node.kind === 'using' || node.kind === 'await using') return false
    const owner = node.kind === 'var' ? varScope(scope) : scope
    if (owner.kind !== 'top') return false
    let isPrivate = false
    for (const { id } of node.declarations) patternNames(id, ({ name }) => { if (owner.names.has(name)) isPrivate = true })
    return !isPrivate
  }

  private functionDeclaration(node: ESTree.FunctionDeclaration, scope: Scope): void {
    const name = node.id?.name
    if (scope.kind !== 'top' || name === undefined || scope.names.has(name)) return this.functionNode(node, scope)
    const own: OwnName = { refs: [], written: false }
    const ownScope = scopeIn(scope, 'block', own)
    ownScope.names.add(name)
    this.functionNode(node, ownScope)
    if (own.written) this.names.keep(own.refs)
    this.functions.push({ node, name, rebindsItself: own.written })
  }


  private functionNode(node: FunctionNode, outer: Scope): void {
    let scope = outer
    if (node.type === 'FunctionExpression' && node.id) {
      scope = scopeIn(outer, 'block')
      scope.names.add(node.id.name)
    }
    const params = scopeIn(scope, 'function')
    if (node.type !== 'ArrowFunctionExpression') params.names.add('arguments')
    for (const param of node.params) patternNames(param, ({ name }) => params.names.add(name))
    for (const param of node.params) this.defaults(param, params)
    const { body } = node
    if (!body) return
    if (body.type === 'BlockStatement') this.body(body.body, params)
    else this.visit(body, params)
  }

  private body(statements: readonly ESTree.Node[], outer: Scope): void {
    const scope = scopeIn(outer, 'function')
    const declare = (name: string) => { scope.names.add(name) }
    for (const statement of statements) varNames(statement, declare)
    lexicalNames(statements, declare)
    this.list(statements, scope)
  }

  private classNode(node: ESTree.ClassDeclaration | ESTree.ClassExpression, outer: Scope): void {
    const scope = scopeIn(outer, 'block')
    if (node.id) scope.names.add(node.id.name)
    if (node.decorators) for (const decorator of node.decorators) this.visit(decorator.expression, outer)
    this.visit(node.superClass, scope)
    for (const member of node.body.body as ESTree.Node[]) this.member(member, scope)
  }

  private member(node: ESTree.Node, scope: Scope): void {
    if (node.type === 'StaticBlock') return this.body(node.body, withArguments(scope))
    if (node.type !== 'MethodDefinition' && node.type !== 'PropertyDefinition' && node.type !== 'AccessorProperty') return this.visit(node, scope)
    if (node.decorators) for (const decorator of node.decorators) this.visit(decorator.expression, scope)
    if (node.computed) this.visit(node.key, scope)
    this.visit(node.value, node.type === 'MethodDefinition' ? scope : withArguments(scope))
  }

  private block(statements: readonly ESTree.Node[], outer: Scope): void {
    const scope = scopeIn(outer, 'block')
    lexicalNames(statements, name => { scope.names.add(name) })
    this.list(statements, scope)
  }

  private forLoop(node: ESTree.ForStatement, outer: Scope): void {
    const scope = scopeIn(outer, 'block')
    if (node.init?.type === 'VariableDeclaration') this.loopHead(node.init, scope, 'for')
    else this.visit(node.init, scope)
    this.visit(node.test, scope)
    this.visit(node.update, scope)
    this.statement(node.body, scope)
  }

  private forEach(node: ESTree.ForInStatement | ESTree.ForOfStatement, outer: Scope): void {
    const scope = scopeIn(outer, 'block')
    if (node.left.type === 'VariableDeclaration') this.loopHead(node.left, scope, 'each')
    else this.target(node.left, scope)
    this.visit(node.right, scope)
    this.statement(node.body, scope)
  }

  private loopHead(node: ESTree.VariableDeclaration, scope: Scope, place: 'for' | 'each'): void {
    lexicalNames([node], name => { scope.names.add(name) })
    this.variables(node, scope, place)
  }

  private switchStatement(node: ESTree.SwitchStatement, outer: Scope): void {
    this.visit(node.discriminant, outer)
    const scope = scopeIn(outer, 'block')
    for (const each of node.cases) lexicalNames(each.consequent, name => { scope.names.add(name) })
    for (const each of node.cases) {
      this.visit(each.test, scope)
      this.list(each.consequent, scope)
    }
  }

  private catchClause(node: ESTree.CatchClause, outer: Scope): void {
    const scope = scopeIn(outer, 'block')
    patternNames(node.param, ({ name }) => scope.names.add(name))
    if (node.param?.type === 'Identifier') this.catches.push({ name: node.param.name, start: from(node.body) + 1 })
    this.defaults(node.param, scope)
    this.block(node.body.body, scope)
  }
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
