import { currentCell, runInCell } from '../context.ts'
import { type Listener, ownedHere } from './owner.ts'
import { blameOn } from './strays.ts'

type Class = (abstract new (...args: unknown[]) => object) & { prototype: object }

const { apply, construct, defineProperty } = Reflect

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
  wrapConstructor('FinalizationRegistry', ([cleanup, ...rest]) => [ownedHere(cleanup as Listener), ...rest])
}

/** Changes the arguments a global class is made with; the class keeps its name, statics, prototype and subclasses. */
export function wrapConstructor(name: string, change: (args: readonly unknown[]) => readonly unknown[]): void {
  const native = (globalThis as unknown as Record<string, Class | undefined>)[name]
  if (native === undefined) return
  const wrapped: Class = new Proxy(native, {
    construct: (target, args: unknown[], newTarget) => construct(target, change(args), newTarget === wrapped ? target : newTarget) as object,
    apply: (target, self, args: unknown[]) => apply(target as unknown as Listener, self, args),
  })
  defineProperty(native.prototype, 'constructor', { value: wrapped, writable: true, configurable: true })
  defineProperty(globalThis, name, { value: wrapped, writable: true, configurable: true })
}
