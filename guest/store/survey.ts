 
import { EventEmitter } from 'node:events'
import { types } from 'node:util'
import { inspect } from '../describe/inspector.ts'
import { KINDS, type Kind } from './kinds.ts'
import { getOwnPropertyDescriptor, getPrototypeOf, isArray, isExtensible, ownKeys, SafeMap, SafeSet, SafeWeakMap, apply } from './safe.ts'

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

const { isProxy, isDate, isRegExp, isMap, isSet, isBoxedPrimitive, isNativeError, isAnyArrayBuffer, isSharedArrayBuffer, isTypedArray, isDataView } = types
const forEachEntry = Map.prototype.forEach
const forEachItem = Set.prototype.forEach
const keyFor = Symbol.keyFor

const PLAIN = Object.prototype
const LIST = Array.prototype
const TYPED = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array] as const
const ERRORS = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError] as const

type Check = (value: object) => boolean
/** Prototypes of the built-in kinds, each with the check that the value is one and not just made to look like it. */
const BUILT_IN = new SafeMap<object | null, readonly [Kind, Check]>([
  [Map.prototype, ['map', isMap]], [Set.prototype, ['set', isSet]], [Date.prototype, ['date', isDate]], [RegExp.prototype, ['regexp', isRegExp]],
  [AggregateError.prototype, ['aggregate-error', isNativeError]], [ArrayBuffer.prototype, ['buffer', isAnyArrayBuffer]],
  [SharedArrayBuffer.prototype, ['shared-buffer', isSharedArrayBuffer]], [DataView.prototype, ['view', isDataView]], [Buffer.prototype, ['node-buffer', isTypedArray]],
  [Number.prototype, ['boxed', isBoxedPrimitive]], [String.prototype, ['boxed', isBoxedPrimitive]], [Boolean.prototype, ['boxed', isBoxedPrimitive]],
  [BigInt.prototype, ['boxed', isBoxedPrimitive]], [Symbol.prototype, ['boxed', isBoxedPrimitive]],
  ...TYPED.map(type => [type.prototype as object, ['view', isTypedArray] as const] as const),
  ...ERRORS.map(type => [type.prototype as object, ['error', isNativeError] as const] as const),
])

/** Kinds of the web with a member that only a real one answers. */
const WEB: readonly (readonly [Kind, string, string])[] = [['url', 'URL', 'href'], ['url-params', 'URLSearchParams', 'toString'], ['headers', 'Headers', 'keys'], ['dom-exception', 'DOMException', 'code']]
/** Classes that keep their content in private fields, but are written in JavaScript by some runtime. */
const CLOSED = ['Blob', 'File', 'FormData', 'Request', 'Response', 'AbortController', 'AbortSignal', 'EventTarget', 'ReadableStream', 'WritableStream', 'TransformStream', 'TextEncoder',
  'TextDecoder', 'MessageChannel', 'MessagePort', 'BroadcastChannel', 'Performance', 'WebSocket', 'CryptoKey', 'CompressionStream', 'DecompressionStream']
// Descriptors, not values: on node the mere mention of `Headers` loads its whole HTTP client.
const GLOBALS = new SafeMap([...WEB.map(([, name]) => name), ...CLOSED].map(name => [name, getOwnPropertyDescriptor(globalThis, name)] as const))
const globalPrototype = (name: string): object | undefined => {
  const described = GLOBALS.get(name)
  const found: unknown = described?.get === undefined ? described?.value : apply(described.get, globalThis, [])
  return typeof found === 'function' ? found.prototype as object : undefined
}
const CLOSED_PROTOTYPES = new SafeSet<object>([EventEmitter.prototype])
let webLoaded = false

/** Looks the classes of the web up at the first object of an unknown class. */
function loadWeb(): void {
  webLoaded = true
  for (const [kind, name, member] of WEB) {
    const prototype = globalPrototype(name)
    if (prototype === undefined) continue
    const described = getOwnPropertyDescriptor(prototype, member)
    const probe = (described?.get ?? described?.value) as (() => unknown) | undefined
    if (probe === undefined) continue
    BUILT_IN.set(prototype, [kind, value => { try { apply(probe, value, []); return true } catch { return false } }])
  }
  for (const name of CLOSED) {
    const prototype = globalPrototype(name)
    if (prototype !== undefined) CLOSED_PROTOTYPES.add(prototype)
  }
}

/** Not everywhere does it have a prototype of its own. */
const everything: object = globalThis

/** The kind an object is by its prototype. */
export function kindOf(object: object): Kind {
  if (typeof object === 'function') return 'function'
  if (isProxy(object) || object === everything) return 'opaque'
  const prototype = getPrototypeOf(object) as object | null
  if (prototype === PLAIN) return isOrdinary(object) ? 'plain' : 'opaque'
  if (isArray(object)) return prototype === LIST ? 'array' : 'instance'
  if (prototype === null) return isOrdinary(object) ? 'null-prototype' : 'opaque'
  let built = BUILT_IN.get(prototype)
  if (built === undefined && !webLoaded) {
    loadWeb()
    built = BUILT_IN.get(prototype)
  }
  if (built === undefined) return isOrdinary(object) ? (isClosed(prototype) ? 'opaque' : 'instance') : nativeInstance(object)
  if (!built[1](object)) return 'instance'
  return built[0] === 'buffer' ? kindOfBuffer(object as ArrayBuffer) : built[0]
}

const isOrdinary = (object: object): boolean => !(isNativeError(object) || isDate(object) || isRegExp(object) || isMap(object) || isSet(object) || isBoxedPrimitive(object)
  || isAnyArrayBuffer(object) || isTypedArray(object) || isDataView(object) || types.isPromise(object) || types.isGeneratorObject(object) || types.isWeakMap(object)
  || types.isWeakSet(object) || types.isModuleNamespaceObject(object) || types.isArgumentsObject(object) || types.isMapIterator(object) || types.isSetIterator(object))

/** An instance of a subclass of a kind that can be taken apart keeps its fields; anything else native is opaque. */
const nativeInstance = (object: object): Kind => isNativeError(object) || isMap(object) || isSet(object) || isDate(object) || isRegExp(object) || isTypedArray(object) ? 'instance' : 'opaque'

/** Whether instances keep their content where JavaScript cannot see it. */
function isClosed(prototype: object): boolean {
  let closed = KNOWN_CLOSED.get(prototype)
  if (closed === undefined) KNOWN_CLOSED.set(prototype, closed = hasClosedAncestor(prototype))
  return closed
}
const KNOWN_CLOSED = new SafeWeakMap<object, boolean>()
const sourceOf = Function.prototype.toString
const endsIn = String.prototype.endsWith

function hasClosedAncestor(prototype: object): boolean {
  for (let at: object | null = prototype; at !== null && at !== PLAIN; at = getPrototypeOf(at) as object | null) {
    if (CLOSED_PROTOTYPES.has(at)) return true
    const maker: unknown = getOwnPropertyDescriptor(at, 'constructor')?.value
    if (typeof maker !== 'function' || types.isProxy(maker)) continue
    if (apply(endsIn, apply(sourceOf, maker, []), ['[native code] }']) || apply(endsIn, apply(sourceOf, maker, []), ['[native code]\n}'])) return true
  }
  return false
}

function kindOfBuffer(buffer: ArrayBuffer): Kind {
  if (buffer.byteLength === 0 && isDetached(buffer)) return 'opaque'
  return (buffer as { resizable?: boolean }).resizable === true ? 'growable-buffer' : 'buffer'
}

const Bytes = Uint8Array
function isDetached(buffer: ArrayBuffer): boolean {
  try { return new Bytes(buffer).length !== 0 } catch { return true }
}

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

/** Whether a view has keys beside its items; not by listing the keys, as each item is one. */
export const viewHasExtras = (view: ArrayBufferView): boolean =>
  isDataView(view) ? ownKeys(view).length > 0 : inspect(view, { maxArrayLength: 0, depth: 0, compact: true, breakLength: Infinity }).includes(': ')

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

/** A list with keys beside its items: `inspect` of no items finds that out without visiting each. */
function hasExtras(list: unknown[]): boolean { return inspect(list, { maxArrayLength: 0, depth: 0 }) !== `[ ... ${list.length} more items ]` }

export const isIndex = (key: string): boolean => String(+key >>> 0) === key && key !== '4294967295'

/** Own keys that errors have anyway; where they come from differs by runtime. */
const PLACE: readonly string[] = ['stack', 'line', 'column', 'sourceURL', 'originalLine', 'originalColumn']
export const isPlaceOfError = (key: string | symbol): boolean => typeof key === 'string' && PLACE.includes(key)

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
