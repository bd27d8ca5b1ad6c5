 
import { types } from 'node:util'
import { kindOf } from './kind.ts'
import { KINDS, type Kind } from './kinds.ts'
import { apply, getOwnPropertyDescriptor, isExtensible, ownKeys } from './safe.ts'
import { hasExtras, isIndex, isPlaceOfError, viewHasExtras } from './shape.ts'

/** What a graph of values is made of. */
export interface Survey {
  /** One bit for each of KINDS. */
  kinds: number
  objects: number
  /** A rough weight in bytes. */
  bytes: number
  /** Deepest nesting, in the order a recursive serializer walks. */
  depth: number
}

/** Tells a survey what to do with an object met: false when it was seen before. */
export type Meet = (object: object) => boolean

/** The bit of each kind. */
export const BIT = Object.fromEntries(KINDS.map((kind, index) => [kind, 2 ** index])) as Readonly<Record<Kind, number>>
/** The bits of several kinds. */
export const bits = (kinds: readonly Kind[]): number => kinds.reduce((sum, kind) => sum | BIT[kind], 0)

const { isNativeError } = types
const forEachEntry = Map.prototype.forEach
const forEachItem = Set.prototype.forEach
const keyFor = Symbol.keyFor

/** The survey of nothing, to be added to. */
export const blank = (): Survey => ({ kinds: 0, objects: 0, bytes: 0, depth: 0 })

/** Walks everything reachable from `root`, adding to `into`. It runs no getter and no proxy trap. */
export function survey(root: unknown, into: Survey, meet: Meet): void {
  const pending: object[] = []
  const depths: number[] = []
  let depth = 0
  const found = (value: unknown): void => {
    switch (typeof value) {
      case 'object': if (value !== null) { pending[pending.length] = value; depths[depths.length] = depth + 1 } break
      case 'function': into.kinds |= BIT.function; break
      case 'string': into.bytes += value.length; break
      case 'symbol': into.kinds |= keyFor(value) === undefined ? BIT.symbol : BIT['registered-symbol']; break
      case 'bigint': into.bytes += 16; break
      case 'number': case 'boolean': case 'undefined': into.bytes += 8; break
    }
  }
  found(root)
  while (pending.length > 0) {
    const object = pending.pop() as object
    depth = depths.pop() as number
    if (!meet(object)) continue
    into.objects++
    into.bytes += 16
    if (depth > into.depth) into.depth = depth
    const start = pending.length
    inside(object, into, found)
    reverse(pending, start)
  }
}

/** The last children found are walked first: turned round, the walk is in the order a recursive one has. */
function reverse(pending: object[], start: number): void {
  for (let a = start, b = pending.length - 1; a < b; a++, b--) {
    const kept = pending[a] as object
    pending[a] = pending[b] as object
    pending[b] = kept
  }
}

function inside(object: object, into: Survey, found: (value: unknown) => void): void {
  const kind = kindOf(object)
  into.kinds |= BIT[kind]
  if (kind === 'opaque' || kind === 'function') return
  if (!isExtensible(object)) into.kinds |= BIT.frozen
  switch (kind) {
    case 'array': return listInside(object as unknown[], into, found)
    case 'map': apply(forEachEntry, object, [(value: unknown, key: unknown) => { found(key); found(value) }]); break
    case 'set': apply(forEachItem, object, [found]); break
    case 'view': case 'node-buffer': return viewInside(object as Uint8Array, into, found)
    case 'buffer': case 'shared-buffer': case 'growable-buffer': into.bytes += (object as ArrayBuffer).byteLength; break
    case 'boxed': return boxInside(object, into, found)
    case 'plain': case 'null-prototype': return fieldsInside(object, into, found)
    case 'date': case 'regexp': case 'error': case 'aggregate-error': case 'instance': break
    case 'url': case 'url-params': case 'headers': case 'dom-exception': return
    case 'sparse': case 'frozen': case 'registered-symbol': case 'symbol': case 'symbol-key': case 'accessor': case 'hidden-key': case 'extra-key': case 'window': return
  }
  extrasInside(object, kind, into, found)
}

/** A view that shows less than half of its buffer counts as a window: only what it shows is worth saving. */
function viewInside(view: Uint8Array, into: Survey, found: (value: unknown) => void): void {
  if (view.byteLength * 2 < view.buffer.byteLength) into.kinds |= BIT.window
  found(view.buffer)
  if (viewHasExtras(view)) into.kinds |= BIT['extra-key']
}

function boxInside(box: object, into: Survey, found: (value: unknown) => void): void {
  const inner = (box as { valueOf(): unknown }).valueOf()
  found(inner)
  if (typeof inner !== 'string') extrasInside(box, 'boxed', into, found)
  else if (ownKeys(box).length > inner.length + 1) into.kinds |= BIT['extra-key']
}

function fieldsInside(object: object, into: Survey, found: (value: unknown) => void): void {
  const keys = ownKeys(object)
  for (let i = 0; i < keys.length; i++) field(object, keys[i] as string | symbol, into, found)
}

function field(object: object, key: string | symbol, into: Survey, found: (value: unknown) => void): void {
  const described = getOwnPropertyDescriptor(object, key)
  if (described === undefined) return
  if (typeof key === 'symbol') into.kinds |= BIT['symbol-key']
  else into.bytes += key.length
  if (described.get !== undefined || described.set !== undefined) into.kinds |= BIT.accessor
  else {
    if (described.enumerable !== true || ((described.writable !== true || described.configurable !== true) && isExtensible(object))) into.kinds |= BIT['hidden-key']
    found(described.value)
  }
}

/** From this many items on a list's own keys are not listed one by one. */
const LONG_LIST = 64

function listInside(list: unknown[], into: Survey, found: (value: unknown) => void): void {
  if (list.length <= LONG_LIST || hasExtras(list)) {
    const keys = ownKeys(list)
    if (keys.length < list.length + 1) into.kinds |= BIT.sparse
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string | symbol
      if (key === 'length') continue
      if (typeof key === 'symbol' || !isIndex(key)) into.kinds |= BIT['extra-key']
      field(list, key, into, found)
    }
    return
  }
  for (let i = 0; i < list.length; i++) {
    const item = list[i]
    if (item === undefined && !(i in list)) into.kinds |= BIT.sparse
    found(item)
  }
}

function extrasInside(object: object, kind: Kind, into: Survey, found: (value: unknown) => void): void {
  const keys = ownKeys(object)
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string | symbol
    if (isNativeError(object) && (isPlaceOfError(key) || key === 'message')) continue
    if (kind === 'regexp' && key === 'lastIndex' && (object as RegExp).lastIndex === 0) continue
    if (kind !== 'instance') into.kinds |= BIT['extra-key']
    field(object, key, into, found)
  }
}
