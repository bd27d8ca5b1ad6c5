import type { NameRef } from './scope.ts'

/** Uses of a top-level function's own name inside it, kept apart until it is known whether the function assigns it. */
export interface OwnName { readonly refs: NameRef[]; written: boolean }

/** A scope of the cell; `own` marks the one that holds a top-level function's own name. */
export interface Scope {
  readonly parent: Scope | null
  readonly kind: 'top' | 'function' | 'block'
  readonly names: Set<string>
  readonly own?: OwnName
}

export const scopeIn = (parent: Scope | null, kind: Scope['kind'], own?: OwnName): Scope => ({ parent, kind, names: new Set(), ...(own && { own }) })

/** Class fields and static blocks have no `arguments` of the code around them. */
export function withArguments(scope: Scope): Scope {
  const inner = scopeIn(scope, 'function')
  inner.names.add('arguments')
  return inner
}

/** The scope that a `var` in this one belongs to. */
export function varScope(scope: Scope): Scope {
  let owner = scope
  while (owner.kind === 'block' && owner.parent) owner = owner.parent
  return owner
}

/** The scope that binds a name, null when it is not local. */
export function ownerOf(name: string, scope: Scope): Scope | null {
  for (let at: Scope | null = scope; at; at = at.parent) if (at.names.has(name)) return at
  return null
}

export const isLocal = (name: string, scope: Scope): boolean => {
  const owner = ownerOf(name, scope)
  return owner !== null && owner.own === undefined
}
