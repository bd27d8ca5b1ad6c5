import { cleanMessage } from './private-names.ts'

const { apply } = Reflect
const { getOwnPropertyDescriptor, defineProperty } = Object

const isEngineError = (error: unknown): error is Error => error instanceof TypeError || error instanceof ReferenceError

/** Puts the author's names into the message of an engine's error. */
export function caught(error: unknown): void {
  try {
    if (!isEngineError(error)) return
    const message = getOwnPropertyDescriptor(error, 'message')
    if (typeof message?.value !== 'string') return
    const value = cleanMessage(message.value)
    if (value !== message.value) defineProperty(error, 'message', { ...message, value })
  } catch {
    // Frozen, or a proxy: it stays as it is.
  }
}

/** A function that is handed what `caught` has seen; anything else stays as it is. */
export function handler(given: unknown): unknown {
  if (typeof given !== 'function') return given
  return function (this: unknown, ...args: unknown[]): unknown {
    caught(args[0])
    return apply(given, this, args)
  }
}
