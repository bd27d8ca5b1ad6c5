import type { ESTree } from 'meriyah'
import type { BindingKind } from '../declared.ts'
import { NameCollector } from '../name-refs.ts'
import { from } from '../parse.ts'
import type { Caught, Handler, TopDeclaration, TopFunction } from '../scope.ts'
import type { Scope } from '../scopes.ts'

export type Child = ESTree.Node | null | undefined

/** What the parts of a walk share: the cell's text, what was found in it, and the way to any node. */
export abstract class Walk {
  protected readonly text: string
  protected readonly isPrivate: (name: string) => boolean
  protected readonly declared = new Map<string, BindingKind>()
  protected readonly numbers = new Set<string>()
  protected readonly names = new NameCollector()
  protected readonly functions: TopFunction[] = []
  protected readonly classes: ESTree.ClassDeclaration[] = []
  protected readonly declarations: TopDeclaration[] = []
  protected readonly imports: ESTree.ImportExpression[] = []
  protected readonly metas: ESTree.MetaProperty[] = []
  protected readonly htmlOpens: number[] = []
  protected readonly catches: Caught[] = []
  protected readonly handlers: Handler[] = []
  protected readonly shellNames: string[] = []
  protected callsEval = false

  constructor(text: string, isPrivate: (name: string) => boolean) {
    this.text = text
    this.isPrivate = isPrivate
  }

  /** An expression, or whatever has no part of its own here. */
  protected abstract visit(node: Child, scope: Scope): void

  protected abstract statement(node: Child, scope: Scope, place?: 'list' | 'body'): void

  protected list(statements: readonly ESTree.Node[], scope: Scope): void {
    for (const statement of statements) {
      this.names.leadAt = from(statement)
      this.statement(statement, scope, 'list')
    }
  }

  protected all(nodes: readonly Child[], scope: Scope): void {
    for (const node of nodes) this.visit(node, scope)
  }
}
