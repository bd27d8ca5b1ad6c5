import { toJson } from './kept.ts'

/** A value as JSON; throws where JSON would drop or change a part of it without a word. */
export function exactJson(value: unknown): string {
  const text: unknown = toJson(value, function (this: Record<string, unknown>, key, item: unknown) {
    const lost = whatIsLost(item, Array.isArray(this))
    if (lost !== undefined) throw new TypeError(`${key === '' ? 'it' : `'${key}'`} is ${lost}, which JSON does not have`)
    return item
  })
  if (typeof text !== 'string') throw new TypeError('it is undefined, which JSON does not have')
  return text
}

/** A property that is undefined counts as not there; an item of a list would become null. */
function whatIsLost(item: unknown, inList: boolean): string | undefined {
  switch (typeof item) {
    case 'function': return 'a function'
    case 'symbol': return 'a symbol'
    case 'number': return Number.isFinite(item) ? undefined : String(item)
    case 'undefined': return inList ? 'undefined' : undefined
    case 'object': return item === null ? undefined : opaque(item)
    case 'string': case 'boolean': case 'bigint': return undefined
  }
}

/** What JSON would write as an empty or a different object. */
function opaque(item: object): string | undefined {
  const kind = Object.prototype.toString.call(item).slice('[object '.length, -1)
  const known = kind === 'Object' || kind === 'Array' || kind === 'Boolean' || kind === 'Number' || kind === 'String'
  return known ? undefined : `a ${kind}`
}
