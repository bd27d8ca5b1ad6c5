/* eslint-disable @typescript-eslint/switch-exhaustiveness-check -- a tree has eighty kinds of nodes: those not named here are walked alike */
import type { ESTree } from 'meriyah'
import { SHORTHAND, WRITE } from '../name-refs.ts'
import type { Scope } from '../scopes.ts'
import { type Child, Walk } from './base.ts'

const ARITHMETIC: ReadonlySet<string> = new Set(['+=', '-=', '*=', '/=', '%=', '**='])

/** What is assigned to, and what patterns compute on the way. */
export abstract class PatternWalk extends Walk {
  protected property(node: ESTree.Property, scope: Scope): void {
    if (node.computed) this.visit(node.key, scope)
    if (node.shorthand && node.value.type === 'Identifier') this.names.use(node.value, scope, SHORTHAND)
    else this.visit(node.value, scope)
  }

  protected assignment(node: ESTree.AssignmentExpression, scope: Scope): void {
    this.target(node.left, scope)
    const { operator } = node
    if (node.left.type === 'Identifier' && ARITHMETIC.has(operator)) this.numbers.add(node.left.name)
    if (operator === '=' || operator === '&&=' || operator === '||=' || operator === '??=') this.names.named(node.left, node.right, scope)
    this.visit(node.right, scope)
  }

  /** Something that is assigned to: a pattern whose identifiers are existing names. */
  protected target(node: Child, scope: Scope): void {
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

  protected targetProperty(node: ESTree.Property | ESTree.RestElement, scope: Scope): void {
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
  protected defaults(node: Child, scope: Scope): void {
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
}
