import { currentCell, runInCell } from '../context.ts'
import { ownedHere } from './owner.ts'
import { blameOn } from './strays.ts'

type Class = (abstract new (...args: unknown[]) => object) & { prototype: object }

const { construct, defineProperty } = Reflect

/** Callbacks whose context, or whose throw, the runtimes lose: microtasks and finalizers. */
export function wrapCallbacks(): void {
  const { queueMicrotask: native } = globalThis
  globalThis.queueMicrotask = function queueMicrotask(task) {
    const cell = currentCell()
    if (cell === undefined || typeof task !== 'function') return native(task)
    native(() => {
      try {
        if (currentCell() === cell) task()
        else runInCell(cell, task)
      } catch (error) {
        blameOn(cell, error)
        throw error
      }
    })
  }
  wrapConstructor('FinalizationRegistry', ([cleanup], make) => make([ownedHere(cleanup)]))
}

/** Makes an instance, given the arguments of `new` and the native way to make one. */
type Around = (args: readonly unknown[], make: (args: readonly unknown[]) => object) => object

/** Wraps how a global class is made; the class keeps its name, statics, prototype and subclasses. */
export function wrapConstructor(name: string, around: Around): void {
  const native = (globalThis as unknown as Record<string, Class | undefined>)[name]
  if (native === undefined) return
  const wrapped: Class = new Proxy(native, {
    construct: (target, args: unknown[], newTarget) =>
      around(args, given => construct(target, given, newTarget === wrapped ? target : newTarget) as object),
  })
  defineProperty(native.prototype, 'constructor', { value: wrapped, writable: true, configurable: true })
  defineProperty(globalThis, name, { value: wrapped, writable: true, configurable: true })
}
