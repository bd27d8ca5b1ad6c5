import { inspect } from './inspector.ts'
import { narrow } from './narrow.ts'

const { apply } = Reflect
const { is } = Object
const { slice } = String.prototype
const { toWellFormed } = String.prototype as { toWellFormed?: () => string }

/** What a result shows at most: levels, entries of a list, characters of a string inside. */
const SHOWN = { depth: 5, maxArrayLength: 200, maxStringLength: 20_000, breakLength: 100, colors: false } as const

/** A longer string is shown by its beginning: escaping one of hundreds of megabytes would exhaust the guest. */
const STRING_CAP = 4 << 20

/** `total`: characters of the whole, when the text shows a part of them. */
export interface Rendered { readonly text: string; readonly total?: number }

/** A value as text; hostile values give a sentence instead. */
export function render(value: unknown): Rendered {
  if (typeof value !== 'string' || value.length <= STRING_CAP) return { text: wellFormed(show(value)) }
  return { text: `${wellFormed(show(apply(slice, value, [0, STRING_CAP])))}… (${value.length} characters)`, total: value.length }
}

function show(value: unknown): string {
  if (typeof value === 'number') return is(value, -0) ? '-0' : `${value}`
  if (typeof value === 'boolean') return `${value}`
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
