import { explainMessage } from '../cell/explain.ts'
import type { Thrown } from '../protocol.ts'
import { inspect } from './inspector.ts'

const { apply } = Reflect
const { slice } = String.prototype
const { isArray } = Array
const Text = String
const { toWellFormed } = String.prototype as { toWellFormed?: () => string }

/** Caps in characters and levels: an error is read by people and models, not stored. */
const NAME_CAP = 200
const MESSAGE_CAP = 10_000
const CAUSE_DEPTH = 8
const GROUPED_ERRORS = 10

/** Reads the cell's own frames of an error's stack. */
export type StackReader = (error: unknown) => readonly string[]

/**
 * A thrown value as data. Cannot fail: each property is read in a try of its own and coerced to a capped string, so
 * that `throw Object.create(null)` settles like any other error.
 */
export function describeThrown(thrown: unknown, stackOf: StackReader = () => [], depth = 0): Thrown {
  const object = typeof thrown === 'object' || typeof thrown === 'function' ? thrown as Record<string, unknown> | null : null
  const name = object === null ? 'Error' : capped(property(object, 'name'), NAME_CAP) || 'Error'
  const code = object === null ? '' : capped(property(object, 'code'), NAME_CAP)
  const cause = object === null || depth >= CAUSE_DEPTH ? undefined : property(object, 'cause')
  return {
    name: typeof thrown === 'function' ? 'Error' : name,
    message: explained(name, messageOf(thrown, object)) + grouped(object, depth),
    stack: attempt(() => stackOf(thrown), []),
    ...(code !== '' && { code }),
    ...(cause !== undefined && cause !== null && { cause: describeThrown(cause, stackOf, depth + 1) }),
  }
}

function explained(name: string, message: string): string {
  return attempt(() => explainMessage(name, message), message)
}

function messageOf(thrown: unknown, object: Record<string, unknown> | null): string {
  const message = object === null || typeof thrown === 'function' ? undefined : property(object, 'message')
  if (message !== undefined) return capped(message, MESSAGE_CAP) || '(no message)'
  return capped(attempt(() => typeof thrown === 'string' ? thrown : inspect(thrown, { depth: 2, breakLength: Infinity, maxStringLength: 1_000 }), ''), MESSAGE_CAP) || '(a value that cannot be shown was thrown)'
}

/** The errors inside an AggregateError, one a line. */
function grouped(object: Record<string, unknown> | null, depth: number): string {
  const errors = object === null ? undefined : property(object, 'errors')
  if (depth > 0 || !attempt(() => isArray(errors), false)) return ''
  return attempt(() => {
    const list = errors as readonly unknown[]
    let text = ''
    for (let i = 0; i < list.length && i < GROUPED_ERRORS; i++) {
      const { name, message } = describeThrown(list[i], undefined, depth + 1)
      text += `\n  [${i}] ${name}: ${message}`
    }
    return list.length > GROUPED_ERRORS ? `${text}\n  … and ${list.length - GROUPED_ERRORS} more` : text
  }, '')
}

function property(object: Record<string, unknown>, name: string): unknown {
  return attempt(() => object[name], undefined)
}

function capped(value: unknown, cap: number): string {
  const text = attempt(() => typeof value === 'string' ? value : value === undefined ? '' : typeof value === 'object' ? inspect(value, { depth: 1, breakLength: Infinity }) : Text(value), '')
  const short = text.length > cap ? `${apply(slice, text, [0, cap]) as string}… (${text.length} characters)` : text
  return toWellFormed === undefined ? short : apply(toWellFormed, short, []) as string
}

function attempt<T>(work: () => T, otherwise: T): T {
  try { return work() } catch { return otherwise }
}
