import type { ESTree } from 'meriyah'
import type { NameUse } from '../guest.ts'
import { from, to } from './parse.ts'
import type { NameRef, UnnamedValue } from './scope.ts'
import { isLocal, ownerOf, type Scope } from './scopes.ts'

/** How an identifier is used; `node` is the text to replace when it is more than the identifier. */
export interface UseOf { readonly use: NameUse; readonly constructed?: boolean; readonly node?: ESTree.Node }

export const READ: UseOf = { use: 'read' }
export const WRITE: UseOf = { use: 'write' }
export const CALL: UseOf = { use: 'call' }
export const NEW: UseOf = { use: 'read', constructed: true }
export const SHORTHAND: UseOf = { use: 'shorthand' }

/** Collects the names of a cell that are not local to it. */
export class NameCollector {
  readonly refs: NameRef[] = []
  readonly written = new Set<string>()
  readonly unnamed: UnnamedValue[] = []
  /** Where the statement being walked starts, when it stands in a list. */
  leadAt = -1

  /** Notes a use of a name, unless a local scope binds it. */
  use(node: ESTree.Identifier, scope: Scope, { use, constructed = false, node: whole = node }: UseOf, writes = use === 'write'): void {
    const { name } = node
    const owner = ownerOf(name, scope)
    if (owner !== null && owner.own === undefined) return
    const ref: NameRef = { name, start: from(whole), end: to(whole), use, constructed, leads: from(whole) === this.leadAt }
    if (writes) this.written.add(name)
    if (owner?.own === undefined) this.refs.push(ref)
    else {
      owner.own.refs.push(ref)
      if (writes) owner.own.written = true
    }
  }

  /** Notes a function or class that will take the name of a notebook name it is assigned to. */
  named(left: ESTree.Node, value: ESTree.Node | null | undefined, scope: Scope): void {
    if (!value || left.type !== 'Identifier' || isLocal(left.name, scope)) return
    const unnamed = value.type === 'ArrowFunctionExpression' || ((value.type === 'FunctionExpression' || value.type === 'ClassExpression') && !value.id)
    if (unnamed) this.unnamed.push({ name: left.name, start: from(value), end: to(value) })
  }

  keep(refs: readonly NameRef[]): void {
    for (const ref of refs) this.refs.push(ref)
  }
}
