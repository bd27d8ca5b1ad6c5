const { apply, get } = Reflect
const { has, add } = WeakSet.prototype

interface Holder { readonly value: unknown }
const holders = new WeakSet<Holder>()

/**
 * A trailing value on its way to the cell's promise. Awaiting asks a value for `then`; one that throws when it is asked
 * (a proxy with a broken trap) is still a value, and travels in a holder.
 */
export function held(value: unknown): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value
  try {
    get(value, 'then')
    return value
  } catch {
    const holder: Holder = { value }
    apply(add, holders, [holder])
    return holder
  }
}

/** What `held` was given. */
export function released(value: unknown): unknown {
  return typeof value === 'object' && value !== null && (apply(has, holders, [value]) as boolean) ? (value as Holder).value : value
}
