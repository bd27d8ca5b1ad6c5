const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Object
const { ownKeys } = Reflect

/** One property of an intrinsic as the guest found it. */
export interface Slot { readonly holder: object; readonly key: PropertyKey; readonly label: string; readonly original: PropertyDescriptor }

/** The intrinsics that every step of the engine leans on; looked at before and after each cell. */
const CRITICAL: readonly (readonly [holder: object, keys: readonly PropertyKey[]])[] = [
  [Array.prototype, [Symbol.iterator, 'push', 'pop', 'map', 'slice', 'forEach', 'filter', 'join', 'some', 'includes', 'length']],
  [getPrototypeOf([][Symbol.iterator]()) as object, ['next']],
  [Function.prototype, ['call', 'apply', 'bind']],
  [Promise, ['resolve', Symbol.species]], [Promise.prototype, ['then', 'constructor', 'finally']],
  [Map.prototype, ['get', 'set', 'has', Symbol.iterator]], [Set.prototype, ['add', 'has']], [WeakMap.prototype, ['get', 'set']],
  [String.prototype, ['slice', 'charCodeAt', 'indexOf', 'split', 'replace', 'startsWith']],
  [RegExp.prototype, ['exec', 'test', Symbol.replace]],
  [Object, ['keys', 'assign', 'create', 'defineProperty', 'getPrototypeOf', 'entries', 'freeze']], [JSON, ['parse', 'stringify']],
  [TextDecoder.prototype, ['decode']], [Uint8Array.prototype, ['constructor']], [getPrototypeOf(Uint8Array.prototype) as object, ['subarray', 'set', 'slice']],
  [Reflect, ['set', 'apply']], [console, ['log', 'error', 'info', 'warn']], [process, ['stdout', 'stderr']],
  [globalThis, ['Object', 'Array', 'Map', 'Set', 'Promise', 'Error', 'JSON', 'Reflect', 'RegExp', 'Symbol', 'String', 'Number', 'Buffer', 'setTimeout', 'console', 'process', 'WeakMap', 'Proxy', 'Function', 'TextDecoder', 'Uint8Array']],
]

/** What the runtimes themselves call from their event loop, without a copy of their own. */
const VITAL: readonly (readonly [label: string, holder: object, keys: readonly PropertyKey[]])[] = [
  ['Function.prototype.', Function.prototype, ['apply', 'call']], ['Array.prototype.', Array.prototype, ['push', 'pop', 'shift', 'unshift', 'splice', 'slice', Symbol.iterator]],
  // node writes to a descriptor, and reads from one, by these.
  ['TypedArray.prototype.', getPrototypeOf(Uint8Array.prototype) as object, ['length', 'byteLength']],
]

/** Properties that no one can add and go on: elements of every array, and what makes every value a promise. */
export const PLANTED: readonly (readonly [holder: object, key: PropertyKey, label: string])[] = [
  [Object.prototype, 'then', 'Object.prototype.then'],
  ...['0', '1', '2', '3'].flatMap(key => [[Array.prototype, key, `Array.prototype[${key}]`] as const, [Object.prototype, key, `Object.prototype[${key}]`] as const]),
]

/** Names of the language and the runtime that cells use most. */
const NAMES = ['Object', 'Function', 'Array', 'Number', 'Boolean', 'String', 'Symbol', 'BigInt', 'Date', 'RegExp', 'Promise', 'Error', 'TypeError', 'RangeError',
  'SyntaxError', 'ReferenceError', 'AggregateError', 'Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'Proxy', 'Reflect', 'JSON', 'Math', 'Atomics', 'ArrayBuffer',
  'SharedArrayBuffer', 'DataView', 'Uint8Array', 'Int32Array', 'Float64Array', 'TextEncoder', 'TextDecoder', 'URL', 'URLSearchParams', 'AbortController', 'AbortSignal',
  'Event', 'EventTarget', 'Buffer', 'setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate', 'queueMicrotask', 'structuredClone',
  'fetch', 'process', 'console', 'performance', 'crypto', 'parseInt', 'parseFloat', 'isNaN', 'isFinite', 'eval', 'globalThis']
const NAMESPACES = ['JSON', 'Math', 'Reflect', 'Atomics', 'console', 'performance']

/** Objects whose prototype chain ends everything: a property added here is seen by every object. */
export const SHARED_PROTOTYPES: readonly (readonly [label: string, holder: object])[] = [
  ['Object.prototype', Object.prototype], ['Array.prototype', Array.prototype], ['Function.prototype', Function.prototype], ['Promise.prototype', Promise.prototype],
]

export const vitalSlots = (): Slot[] => VITAL.flatMap(([label, holder, keys]) => keys.flatMap(key => slot(holder, key, label)))

export const criticalSlots = (): Slot[] => CRITICAL.flatMap(([holder, keys]) => keys.flatMap(key => slot(holder, key, '')))

/** How stacks are written is the cells' to choose; and a look at what the console writes to would load the streams of bun. */
const UNSEEN = new Set<PropertyKey>(['stackTraceLimit', 'prepareStackTrace', 'Console', '_stdout', '_stderr'])

export function everySlot(): Slot[] {
  const slots: Slot[] = []
  const members = (holder: object, label: string): void => {
    for (const key of ownKeys(holder)) if (!UNSEEN.has(key)) slots.push(...slot(holder, key, `${label}.`))
  }
  for (const name of NAMES) {
    slots.push(...slot(globalThis, name, ''))
    // Not a plain read: some globals are getters that load a whole module.
    const value = getOwnPropertyDescriptor(globalThis, name)?.value as unknown
    if (typeof value === 'function') {
      members(value, name)
      const { prototype } = value as { prototype?: object }
      if (prototype !== undefined && prototype !== null) members(prototype, `${name}.prototype`)
    } else if (NAMESPACES.includes(name)) members(value as object, name)
  }
  for (const name of ['stdout', 'stderr']) slots.push(...slot(process, name, 'process.'))
  for (const [label, holder] of hidden()) members(holder, label)
  return slots
}

/** A descriptor on its own: what a cell adds to Object.prototype does not show through it. */
export function describe(holder: object, key: PropertyKey): PropertyDescriptor | undefined {
  const found = getOwnPropertyDescriptor(holder, key)
  return found === undefined ? undefined : setPrototypeOf(found, null) as PropertyDescriptor
}

/**
 * Makes the globals that node keeps behind accessors plain: what a cell sets there would be kept where nothing shows that
 * it is not the original. And a clock that could be hidden by a property of its own is one.
 */
export function plainGlobals(): void {
  for (const [holder, key] of [[globalThis, 'process'], [globalThis, 'Buffer'], [globalThis, 'performance'], [performance, 'now']] as const) {
    const value = (holder as unknown as Record<string, unknown>)[key]
    const enumerable = getOwnPropertyDescriptor(holder, key)?.enumerable ?? false
    defineProperty(holder, key, { value, writable: true, enumerable, configurable: true })
  }
}

/** A property as it is at the start, when nothing shows through its descriptor yet; none when there is no such property. */
export function slot(holder: object, key: PropertyKey, label: string): Slot[] {
  const original = getOwnPropertyDescriptor(holder, key)
  return original === undefined ? [] : [{ holder, key, label: `${label}${String(key)}`, original }]
}

function hidden(): [string, object][] {
  const prototype = (value: unknown): object => getPrototypeOf(value) as object
  return [
    ['Array Iterator', prototype([][Symbol.iterator]())], ['Map Iterator', prototype(new Map().entries())], ['Iterator', prototype(prototype([][Symbol.iterator]()))],
    ['TypedArray', prototype(Uint8Array)], ['TypedArray.prototype', prototype(Uint8Array.prototype)],
  ]
}
