import type { Namespace } from './namespace.ts'
import type { NameEntry } from './protocol.ts'

const { getPrototypeOf, getOwnPropertyDescriptor } = Object
const { isArray } = Array
const { isView } = ArrayBuffer

/** The namespace as data: names, types and sizes. Nothing is loaded for it and no getter runs. */
export function listNames(namespace: Namespace): NameEntry[] {
  return namespace.names().map(name => {
    const box = namespace.box(name)
    return box.unread === null ? { name, type: typeName(box.value), size: sizeOf(box.value) } : { name, type: 'not loaded yet', size: null }
  })
}

/** `string`, `Array`, `Map`, a class name, … */
export function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  try {
    if (isArray(value)) return 'Array'
    const prototype = getPrototypeOf(value) as object | null
    if (prototype === null) return 'Object'
    const constructor = getOwnPropertyDescriptor(prototype, 'constructor')?.value as { name?: unknown } | undefined
    const name = typeof constructor === 'function' ? getOwnPropertyDescriptor(constructor, 'name')?.value as unknown : undefined
    return typeof name === 'string' && name !== '' ? name : 'Object'
  } catch {
    return 'object'
  }
}

/** Characters, entries or bytes, whichever the type is counted in; null for what has no size. */
export function sizeOf(value: unknown): number | null {
  try {
    if (typeof value === 'string') return value.length
    if (typeof value !== 'object' || value === null) return null
    if (isArray(value)) return value.length
    if (isView(value)) return value.byteLength
    if (value instanceof Map || value instanceof Set) return value.size
    if (value instanceof ArrayBuffer) return value.byteLength
    return null
  } catch {
    return null
  }
}
