import util from 'node:util'
import { narrow } from './narrow.ts'

const { inspect } = util
const { apply } = Reflect
const { slice } = String.prototype
const { toWellFormed } = String.prototype as { toWellFormed?: () => string }

/** What a result shows at most: levels, entries of a list, characters of a string inside. */
const SHOWN = { depth: 5, maxArrayLength: 200, maxStringLength: 20_000, breakLength: 100, colors: false } as const

export interface Rendered { readonly text: string; readonly total: number }

/** A value as text, at most `cap` characters of it; hostile values give a sentence instead. */
export function render(value: unknown, cap: number): Rendered {
  const text = wellFormed(show(value))
  if (text.length <= cap) return { text, total: text.length }
  let end = cap
  const unit = text.charCodeAt(end - 1)
  if (unit >= 0xd800 && unit < 0xdc00) end--
  return { text: apply(slice, text, [0, end]) as string, total: text.length }
}

function show(value: unknown): string {
  // A string is shown whole up to the cap of the result; inside a value it is shortened.
  const options = typeof value === 'string' ? { ...SHOWN, maxStringLength: Infinity } : SHOWN
  try {
    return inspect(narrow(value), options)
  } catch {
    try {
      return inspect(value, { ...options, customInspect: false })
    } catch {
      return '[a value that cannot be shown]'
    }
  }
}

function wellFormed(text: string): string {
  return toWellFormed === undefined ? text : apply(toWellFormed, text, []) as string
}
