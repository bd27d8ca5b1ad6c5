import { currentCell } from '../context.ts'
import { type Listener, owned } from './owner.ts'

type Callback = Listener | { handleEvent(event: unknown): unknown }

const { apply, defineProperty, ownKeys, getOwnPropertyDescriptor } = Reflect
const { get: getIn, set: setIn } = WeakMap.prototype
/** target → what the cell registered → what was added for it, so that it can be removed again. */
const added = new WeakMap<object, WeakMap<object, Listener>>()
/** What was put for an `on…` property → what the cell gave. */
const given = new WeakMap<object, unknown>()

/** Listeners and `on…` handlers of event targets belong to the cell that set them. */
export function wrapEventTargets(): void {
  const prototype = EventTarget.prototype as unknown as Record<'addEventListener' | 'removeEventListener', Listener>
  const { addEventListener: add, removeEventListener: remove } = prototype
  prototype.addEventListener = function addEventListener(this: object, type: unknown, callback: unknown, ...rest: unknown[]) {
    return apply(add, this, [type, isCallback(callback) ? wrapperFor(this ?? globalThis, callback) : callback, ...rest])
  }
  prototype.removeEventListener = function removeEventListener(this: object, type: unknown, callback: unknown, ...rest: unknown[]) {
    const wrapper = isCallback(callback) ? known(this ?? globalThis, callback) : undefined
    if (wrapper !== undefined) apply(remove, this, [type, wrapper, ...rest])
    return apply(remove, this, [type, callback, ...rest])
  }
  for (const handlers of handlerPrototypes()) wrapHandlers(handlers)
}

/** The classes whose `on…` events lose the context. Others on node are left alone: to name them is to load them. */
function handlerPrototypes(): object[] {
  const names = 'Bun' in globalThis ? ['AbortSignal', 'MessagePort', 'Worker', 'BroadcastChannel', 'WebSocket'] : ['AbortSignal', 'MessagePort']
  return names.flatMap(name => (globalThis as unknown as Record<string, { prototype: object } | undefined>)[name]?.prototype ?? [])
}

function wrapHandlers(prototype: object): void {
  for (const key of ownKeys(prototype)) {
    const { get, set, ...rest } = getOwnPropertyDescriptor(prototype, key) ?? {}
    if (typeof key !== 'string' || !key.startsWith('on') || get === undefined || set === undefined) continue
    defineProperty(prototype, key, {
      ...rest,
      get(this: object) {
        const current: unknown = apply(get, this, [])
        return isObject(current) ? (apply(getIn, given, [current]) as unknown) ?? current : current
      },
      set(this: object, handler: unknown) {
        const cell = currentCell()
        if (cell === undefined || typeof handler !== 'function') return apply(set, this, [handler])
        const wrapper = owned(cell, handler as Listener)
        apply(setIn, given, [wrapper, handler])
        return apply(set, this, [wrapper])
      },
    })
  }
}

function wrapperFor(target: object, callback: Callback): Callback {
  const cell = currentCell()
  const existing = known(target, callback)
  if (existing !== undefined || cell === undefined) return existing ?? callback
  const wrapper = owned(cell, typeof callback === 'function' ? callback : event => callback.handleEvent(event))
  let ofTarget = apply(getIn, added, [target]) as WeakMap<object, Listener> | undefined
  if (ofTarget === undefined) apply(setIn, added, [target, ofTarget = new WeakMap()])
  apply(setIn, ofTarget, [callback, wrapper])
  return wrapper
}

function known(target: object, callback: object): Listener | undefined {
  const ofTarget = apply(getIn, added, [target]) as WeakMap<object, Listener> | undefined
  return ofTarget === undefined ? undefined : apply(getIn, ofTarget, [callback]) as Listener | undefined
}

const isObject = (value: unknown): value is object => (typeof value === 'object' && value !== null) || typeof value === 'function'
const isCallback = isObject as (value: unknown) => value is Callback
