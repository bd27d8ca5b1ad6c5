import type { NameRef } from './scope.ts'

/** Uses of a top-level function's own name inside it, kept apart until it is known whether the function assigns it. */
export interface OwnName { readonly refs: NameRef[]; written: boolean }

/** A scope of the cell; `own` marks the one that holds a top-level function's own name. */
export interface Scope {
  readonly parent: Scope | null
  readonly kind: 'top' | 'function' | 'block'
  /** Absent while nothing is bound: most blocks bind nothing. */
  names: Set<string> | undefined
  /** It has an `arguments` of its own. */
  readonly hasArguments: boolean
  readonly own: OwnName | undefined
}

export const scopeIn = (parent: Scope | null, kind: Scope['kind'], hasArguments = false, own?: OwnName): Scope => ({ parent, kind, names: undefined, hasArguments, own })

/** Binds a name in a scope. */
export function bind(scope: Scope, name: string): void { (scope.names ??= new Set()).add(name) }

/** Whether this very scope binds a name. */
export const binds = (scope: Scope, name: string): boolean => scope.names?.has(name) === true || (scope.hasArguments && name === 'arguments')

/** Class fields and static blocks have no `arguments` of the code around them. */
export function withArguments(scope: Scope): Scope {
  return scopeIn(scope, 'function', true)
}

/** The scope that a `var` in this one belongs to. */
export function varScope(scope: Scope): Scope {
  let owner = scope
  while (owner.kind === 'block' && owner.parent) owner = owner.parent
  return owner
}

/** The scope that binds a name, null when it is not local. */
export function ownerOf(name: string, scope: Scope): Scope | null {
  for (let at: Scope | null = scope; at; at = at.parent) if (binds(at, name)) return at
  return null
}

export const isLocal = (name: string, scope: Scope): boolean => {
  const owner = ownerOf(name, scope)
  return owner !== null && owner.own === undefined
}
