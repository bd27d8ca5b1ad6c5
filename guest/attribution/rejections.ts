import { currentCell } from '../context.ts'
import { remember } from './strays.ts'

const { apply } = Reflect
const { then } = Promise.prototype

/**
 * Bun reports an unhandled rejection without the context it arose in. What its stack does not tell is kept here:
 * whose a promise is that was made rejected, and whose a failed fetch.
 */
export function wrapRejections(): void {
  const { reject } = Promise
  Promise.reject = function <T>(this: PromiseConstructor, reason?: unknown) {
    const promise = apply(reject, this, [reason]) as Promise<T>
    const cell = currentCell()
    if (cell !== undefined) remember(cell, promise)
    return promise
  }
  const { fetch } = globalThis
  const wrapped = (...args: Parameters<typeof fetch>): Promise<Response> => {
    const response = fetch(...args)
    const cell = currentCell()
    if (cell === undefined) return response
    return apply(then, response, [undefined, (reason: unknown) => {
      remember(cell, reason)
      throw reason
    }]) as Promise<Response>
  }
  globalThis.fetch = Object.assign(Object.defineProperty(wrapped, 'name', { value: 'fetch' }), fetch)
}
