/** What kind of thing an object is, by its prototype and by what only a real one of that kind answers. */
import { EventEmitter } from 'node:events'
import { types } from 'node:util'
import type { Kind } from './kinds.ts'
import { apply, getOwnPropertyDescriptor, getPrototypeOf, isArray, SafeMap, SafeSet, SafeWeakMap } from './safe.ts'

const { isProxy, isDate, isRegExp, isMap, isSet, isBoxedPrimitive, isNativeError, isAnyArrayBuffer, isSharedArrayBuffer, isTypedArray, isDataView } = types

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
const webGlobals = () => new SafeMap([...WEB.map(([, name]) => name), ...CLOSED].map(name => [name, getOwnPropertyDescriptor(globalThis, name)] as const))
let kept: ReturnType<typeof webGlobals> | undefined
/** Keeps the classes of the web as they are: bun makes each at the first look, so not on the way to a ready guest, and before any code of a cell. */
export const keepWebGlobals = (): ReturnType<typeof webGlobals> => kept ??= webGlobals()
const globalPrototype = (name: string): object | undefined => {
  const described = keepWebGlobals().get(name)
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
