import { EventEmitter } from 'node:events'
import { currentCell } from '../context.ts'
import { type Listener, owned } from './owner.ts'
import { guarded, handlesStrays } from './stray-listeners.ts'
import { tellStray } from './strays.ts'

type Method = (this: object, type: string | symbol, listener: Listener) => object
type Prototype = Record<string, Method>

const { apply, defineProperty } = Reflect
/** Wrappers made here: adding one to an emitter must not wrap it again. */
const wrappers = new WeakSet<Listener>()
const isWrapper = wrappers.has.bind(wrappers)
const remember = wrappers.add.bind(wrappers)

/** Listeners belong to the cell that registered them, whichever cell emits. */
export function wrapEmitters(): void {
  wrapPrototype(EventEmitter.prototype as unknown as Prototype)
  // Bun's process has native methods of its own.
  const own = Object.getPrototypeOf(process) as Prototype
  if (Object.hasOwn(own, 'on')) wrapPrototype(own)
}

function wrapPrototype(prototype: Prototype): void {
  const { on, prependListener, removeListener } = prototype as Record<'on' | 'prependListener' | 'removeListener', Method>
  const { once, prependOnceListener } = prototype as Record<'once' | 'prependOnceListener', Method>
  const replace = (names: readonly string[], method: Method): void => {
    for (const name of names) defineProperty(prototype, name, { value: defineProperty(method, 'name', { value: name }) && method, writable: true, configurable: true, enumerable: true })
  }
  replace(['on', 'addListener'], adding(on))
  replace(['prependListener'], adding(prependListener))
  replace(['once'], addingOnce(once, 'on', removeListener))
  replace(['prependOnceListener'], addingOnce(prependOnceListener, 'prependListener', removeListener))
}

function adding(native: Method): Method {
  return function (type, listener) { return apply(native, this, [type, mine(this, type, listener) ?? listener]) as object }
}

/** Calls the emitter's own method to add, since subclasses such as streams extend it. */
function addingOnce(native: Method, add: string, remove: Method): Method {
  return function (type, listener) {
    const bound = mine(this, type, listener)
    if (bound === undefined) return apply(native, this, [type, listener]) as object
    let fired = false
    const once: Listener = function (this: object, ...args: unknown[]) {
      if (fired) return undefined
      fired = true
      apply(remove, this, [type, once])
      return apply(bound, this, args)
    }
    return apply((this as Prototype)[add] as Method, this, [type, labelled(once, listener)]) as object
  }
}

/** The listener as part of the current cell; undefined when it is to be added as it is. */
function mine(emitter: object, type: string | symbol, listener: Listener): Listener | undefined {
  const cell = currentCell()
  if (cell === undefined || typeof listener !== 'function' || isWrapper(listener)) return undefined
  return labelled(owned(cell, emitter === process && handlesStrays(type) ? guarded(listener, tellStray) : listener), listener)
}

/** `listener.listener` is how emitters find the original, to list it and to remove it. */
function labelled(wrapper: Listener, listener: Listener): Listener {
  defineProperty(wrapper, 'listener', { value: (listener as { listener?: unknown }).listener ?? listener, configurable: true, writable: true })
  remember(wrapper)
  return wrapper
}
