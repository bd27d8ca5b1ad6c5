import type { Namespace } from '../namespace.ts'

/** What a body that finds names by name runs `with`; `assigns` says which unbound names a write may create. */
export function scopeObject(space: Namespace, assigns: (name: string) => boolean): object {
  return new Proxy(Object.create(null) as object, {
    has: (_, key) => typeof key === 'string' && (space.answers(key) || space.provides(key) || assigns(key)),
    get: (_, key) => typeof key === 'string' ? space.box(key).v : undefined,
    set(_, key, value) {
      if (typeof key === 'string') space.box(key).v = value
      return true
    },
    deleteProperty: () => false,
  })
}
