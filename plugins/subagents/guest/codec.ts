import type { Serializer } from '../../../guest/guest.ts'
import { type ChildFacts, Subagent } from './handle.ts'
import { parseJson, toJson } from './kept.ts'

/** The mark of a handle in saved text. Values that hold the mark themselves are left to other serializers. */
const MARK = '$subagent'
/** A value this large is not what handles are kept in; looking at all of it would cost more than it gives. */
const MOST_VALUES = 5_000

/** Keeps handles, alone or in lists and plain objects of plain data, so that they come back with their methods. */
export const handleCodec: Serializer = {
  codec: 'subagents/1',
  portable: true,
  encode(value) {
    const walk = { handles: 0, left: MOST_VALUES, path: new Set<object>() }
    const plain = plainOf(value, walk)
    if (plain === undefined || walk.handles === 0) return undefined
    return { bytes: Buffer.from(toJson(plain), 'utf8') }
  },
  decode: bytes => revive(parseJson(Buffer.from(bytes).toString('utf8'))),
}

interface Walk { handles: number; left: number; readonly path: Set<object> }

/** The value as JSON with marked handles; undefined when it holds anything else, or shares objects. */
function plainOf(value: unknown, walk: Walk): unknown {
  if (--walk.left < 0) return undefined
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : undefined
  if (typeof value !== 'object' || walk.path.has(value)) return undefined
  walk.path.add(value)
  if (value instanceof Subagent && Object.getPrototypeOf(value) === Subagent.prototype) {
    walk.handles++
    return { [MARK]: Object.fromEntries(Object.entries(value)) }
  }
  if (Array.isArray(value)) return Object.keys(value).length === value.length ? allOf(value.map(item => plainOf(item, walk))) : undefined
  if (Object.getPrototypeOf(value) !== Object.prototype || MARK in value || Object.isFrozen(value)) return undefined
  const entries = Reflect.ownKeys(value).map(key => [key, plainField(value, key, walk)] as const)
  return entries.some(([key, item]) => typeof key === 'symbol' || item === undefined) ? undefined : Object.fromEntries(entries)
}

function plainField(object: object, key: PropertyKey, walk: Walk): unknown {
  const field = Object.getOwnPropertyDescriptor(object, key)
  return field?.enumerable === true && field.writable === true ? plainOf(field.value, walk) : undefined
}

const allOf = (items: unknown[]): unknown[] | undefined => items.includes(undefined) ? undefined : items

function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive)
  if (typeof value !== 'object' || value === null) return value
  const marked = (value as Record<string, unknown>)[MARK]
  if (marked !== undefined) return new Subagent(marked as ChildFacts)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revive(item)]))
}
