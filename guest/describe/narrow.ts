import util from 'node:util'

const { isProxy } = util.types
const { getPrototypeOf, getOwnPropertyDescriptor, defineProperty, keys, create } = Object
const ObjectPrototype = Object.prototype
const { isArray } = Array

/** An object with more keys than this is shown by its first ones; `inspect` caps lists and strings but not keys. */
const MAX_KEYS = 200
/** Objects looked at before a value counts as small enough to show as it is. */
const BUDGET = 2_000

/** The value itself, or, when a plain object in it has very many keys, a copy that shows the first ones. */
export function narrow(value: unknown): unknown {
  const budget = { left: BUDGET }
  return hasWide(value, 6, budget) ? copy(value, 6, new Map()) : value
}

const isPlain = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || isProxy(value)) return false
  if (isArray(value)) return true
  const prototype = getPrototypeOf(value) as unknown
  return prototype === ObjectPrototype || prototype === null
}

function hasWide(value: unknown, depth: number, budget: { left: number }): boolean {
  if (!isPlain(value) || depth === 0 || budget.left-- <= 0) return false
  const names = isArray(value) ? firstIndexes(value) : keys(value)
  if (names.length > MAX_KEYS) return true
  return names.some(name => hasWide(getOwnPropertyDescriptor(value, name)?.value, depth - 1, budget))
}

function firstIndexes(list: readonly unknown[]): string[] {
  const names: string[] = []
  for (let i = 0; i < list.length && i < MAX_KEYS; i++) names.push(`${i}`)
  return names
}

function copy(value: unknown, depth: number, done: Map<unknown, unknown>): unknown {
  if (!isPlain(value) || depth === 0) return value
  if (isArray(value)) return value.length > MAX_KEYS ? value : value.map(item => copy(item, depth - 1, done))
  const known = done.get(value)
  if (known !== undefined) return known
  const made = create(getPrototypeOf(value) as object | null) as Record<string, unknown>
  done.set(value, made)
  const names = keys(value)
  for (const name of names.slice(0, MAX_KEYS)) {
    const found = getOwnPropertyDescriptor(value, name)
    if (found !== undefined) defineProperty(made, name, 'value' in found ? { ...found, value: copy(found.value, depth - 1, done) } : found)
  }
  if (names.length > MAX_KEYS) defineProperty(made, '…', { value: `${names.length - MAX_KEYS} more keys`, enumerable: true })
  return made
}
