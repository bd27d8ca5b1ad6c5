import util from 'node:util'
import { caught } from './caught.ts'

const { isPromise } = util.types
const { isArray } = Array
const { apply } = Reflect
const { getPrototypeOf, defineProperty, hasOwn } = Object
const { then } = Promise.prototype
const PromisePrototype = Promise.prototype

/**
 * Lets the calls that hand on reasons of rejections hand them on in the author's names: `allSettled` as results, `any` inside
 * its error. Each promise is looked at just before the call looks at it, so that nothing settles later than it did.
 * Once, before the first cell.
 */
export function cleanReasons(): void {
  for (const name of ['allSettled', 'any'] as const) {
    const cleaning = new Proxy(Promise[name] as (...args: unknown[]) => unknown, {
      apply(target, self, args) {
        cleanOf(args[0])
        return apply(target, self, args)
      },
    })
    defineProperty(Promise, name, { value: cleaning, writable: true, configurable: true })
  }
}

function cleanOf(promises: unknown): void {
  // Whatever else can be iterated may be so only once.
  if (!isArray(promises)) return
  for (let i = 0; i < promises.length; i++) {
    const promise: unknown = promises[i]
    // A promise with a constructor of its own would be asked for it.
    if (isPromise(promise) && getPrototypeOf(promise) === PromisePrototype && !hasOwn(promise, 'constructor')) void apply(then, promise, [undefined, caught])
  }
}
