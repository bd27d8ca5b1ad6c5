const { getOwnPropertyDescriptor, defineProperty, getPrototypeOf } = Object
const { ownKeys, deleteProperty, apply } = Reflect

interface Slot { readonly holder: object; readonly key: PropertyKey; readonly label: string; readonly original: PropertyDescriptor }

/** The intrinsics that every step of the engine leans on; looked at before each cell. */
const CRITICAL: readonly (readonly [holder: object, keys: readonly PropertyKey[]])[] = [
  [Array.prototype, [Symbol.iterator, 'push', 'pop', 'map', 'slice', 'forEach', 'filter', 'join', 'some', 'includes', 'length']],
  [getPrototypeOf([][Symbol.iterator]()) as object, ['next']],
  [Function.prototype, ['call', 'apply', 'bind']],
  [Promise, ['resolve', Symbol.species]], [Promise.prototype, ['then', 'constructor', 'finally']],
  [Map.prototype, ['get', 'set', 'has', Symbol.iterator]], [Set.prototype, ['add', 'has']], [WeakMap.prototype, ['get', 'set']],
  [String.prototype, ['slice', 'charCodeAt', 'indexOf', 'split', 'replace', 'startsWith']],
  [RegExp.prototype, ['exec', 'test', Symbol.replace]],
  [Object, ['keys', 'assign', 'create', 'defineProperty', 'getPrototypeOf', 'entries', 'freeze']], [JSON, ['parse', 'stringify']],
  [globalThis, ['Object', 'Array', 'Map', 'Set', 'Promise', 'Error', 'JSON', 'Reflect', 'RegExp', 'Symbol', 'String', 'Number', 'Buffer', 'setTimeout', 'console', 'process', 'WeakMap', 'Proxy', 'Function']],
]

/** Objects whose prototype chain ends everything: a property added here is seen by every object. */
const SHARED_PROTOTYPES = [Object.prototype, Array.prototype, Function.prototype, Promise.prototype]

/** Names of the language and the runtime that cells use most. */
const NAMES = ['Object', 'Function', 'Array', 'Number', 'Boolean', 'String', 'Symbol', 'BigInt', 'Date', 'RegExp', 'Promise', 'Error', 'TypeError', 'RangeError',
  'SyntaxError', 'ReferenceError', 'AggregateError', 'Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'Proxy', 'Reflect', 'JSON', 'Math', 'Atomics', 'ArrayBuffer',
  'SharedArrayBuffer', 'DataView', 'Uint8Array', 'Int32Array', 'Float64Array', 'TextEncoder', 'TextDecoder', 'URL', 'URLSearchParams', 'AbortController', 'AbortSignal',
  'Event', 'EventTarget', 'Buffer', 'setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate', 'queueMicrotask', 'structuredClone',
  'fetch', 'process', 'console', 'performance', 'crypto', 'parseInt', 'parseFloat', 'isNaN', 'isFinite', 'eval', 'globalThis']

/** What the guest found in place when it started, and how to put it back. */
export interface Globals {
  /** True when something the engine leans on is not what it was. Cheap: a few microseconds. */
  dirty(): boolean
  /** Names of everything replaced or removed since the start. */
  changed(): string[]
  /** Runs `work` with the originals in place, then puts the cell's own versions back. */
  pristine<T>(work: () => T): T
  /** Puts the originals back for good; answers what it changed. */
  reset(): string[]
}

export function captureGlobals(): Globals {
  const all = everySlot()
  const critical = CRITICAL.flatMap(([holder, keys]) => keys.flatMap(key => slot(holder, key, '')))
  const shared = SHARED_PROTOTYPES.map(holder => ({ holder, known: new Set(ownKeys(holder)) }))
  const counts = shared.map(({ known }) => known.size)

  const differs = ({ holder, key, original }: Slot): boolean => {
    const now = getOwnPropertyDescriptor(holder, key)
    return now === undefined || now.value !== original.value || now.get !== original.get || now.set !== original.set
  }
  const dirty = (): boolean => {
    for (let i = 0; i < critical.length; i++) if (differs(critical[i]!)) return true
    for (let i = 0; i < shared.length; i++) if (ownKeys(shared[i]!.holder).length !== counts[i]) return true
    return false
  }
  const differing = (): Slot[] => {
    const found: Slot[] = []
    for (let i = 0; i < all.length; i++) if (differs(all[i]!)) append(found, all[i]!)
    return found
  }
  /** Puts originals back; answers how to undo that. */
  const enter = (): (() => void) => {
    const undo: { holder: object; key: PropertyKey; now: PropertyDescriptor | undefined }[] = []
    const slots = differing()
    for (let i = 0; i < slots.length; i++) {
      const { holder, key, original } = slots[i]!
      append(undo, { holder, key, now: getOwnPropertyDescriptor(holder, key) })
      put(holder, key, original)
    }
    for (let i = 0; i < shared.length; i++) {
      const { holder, known } = shared[i]!
      const keys = ownKeys(holder)
      for (let j = 0; j < keys.length; j++) {
        const key = keys[j]!
        if (apply(setHas, known, [key]) as boolean) continue
        append(undo, { holder, key, now: getOwnPropertyDescriptor(holder, key) })
        deleteProperty(holder, key)
      }
    }
    return () => { for (let i = undo.length - 1; i >= 0; i--) put(undo[i]!.holder, undo[i]!.key, undo[i]!.now) }
  }

  return {
    dirty,
    changed: () => differing().map(({ label }) => label),
    pristine: work => {
      const leave = enter()
      let result: ReturnType<typeof work>
      try { result = work() } catch (error) { leave(); throw error }
      if (!isPromise(result)) { leave(); return result }
      void apply(then, result, [leave, leave])
      return result
    },
    reset: () => {
      const names = differing().map(({ label }) => label)
      enter()
      return names
    },
  }
}

const { has: setHas } = Set.prototype
const { then } = Promise.prototype
const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise

function append<T>(list: T[], item: T): void {
  defineProperty(list, list.length, { value: item, writable: true, enumerable: true, configurable: true })
}

function put(holder: object, key: PropertyKey, descriptor: PropertyDescriptor | undefined): void {
  try {
    if (descriptor === undefined) deleteProperty(holder, key)
    else defineProperty(holder, key, descriptor)
  } catch { /* frozen by a cell: it stays as the cell made it */ }
}

function slot(holder: object, key: PropertyKey, label: string): Slot[] {
  const original = getOwnPropertyDescriptor(holder, key)
  return original === undefined ? [] : [{ holder, key, label: `${label}${String(key)}`, original }]
}

function everySlot(): Slot[] {
  const slots: Slot[] = []
  const members = (holder: object, label: string): void => {
    for (const key of ownKeys(holder)) if (key !== 'stackTraceLimit' && key !== 'prepareStackTrace') slots.push(...slot(holder, key, `${label}.`))
  }
  for (const name of NAMES) {
    slots.push(...slot(globalThis, name, ''))
    // Not a plain read: some globals are getters that load a whole module.
    const value = getOwnPropertyDescriptor(globalThis, name)?.value as unknown
    if (typeof value === 'function') {
      members(value, name)
      const { prototype } = value as { prototype?: object }
      if (typeof prototype === 'object' && prototype !== null) members(prototype, `${name}.prototype`)
    } else if (name === 'JSON' || name === 'Math' || name === 'Reflect' || name === 'Atomics') members(value as object, name)
  }
  for (const [label, holder] of hidden()) members(holder, label)
  return slots
}

function hidden(): [string, object][] {
  const prototype = (value: unknown): object => getPrototypeOf(value) as object
  return [
    ['Array Iterator', prototype([][Symbol.iterator]())], ['Map Iterator', prototype(new Map().entries())], ['Iterator', prototype(prototype([][Symbol.iterator]()))],
    ['TypedArray', prototype(Uint8Array)], ['TypedArray.prototype', prototype(Uint8Array.prototype)],
  ]
}
