import util from 'node:util'

const { isProxy } = util.types
const { getPrototypeOf, getOwnPropertyDescriptor, keys } = Object
const { getOwnPropertySymbols } = Object
const { isArray } = Array
const { stringify } = JSON
const ObjectPrototype = Object.prototype
const DatePrototype = Date.prototype
const { toISOString } = Date.prototype
const { apply } = Reflect

export type JsonText = { readonly text: string } | { readonly problem: string }

/** Thrown inside only: the first place that is not JSON. */
class NotJson { readonly problem: string; constructor(problem: string) { this.problem = problem } }

/**
 * JSON text of plain data, found without running a getter. `lenient` is for arguments of calls: properties that are
 * undefined are left out and dates become ISO strings, as JSON.stringify has it.
 */
export function toJsonText(value: unknown, cap: number, lenient = false): JsonText {
  let length = 0
  const ancestors: unknown[] = []
  const count = (text: string, at: string): string => {
    length += text.length
    if (length > cap) throw new NotJson(`${at || 'the value'} is too large: more than ${cap} characters of JSON`)
    return text
  }

  function write(item: unknown, at: string): string {
    switch (typeof item) {
      case 'string': return item.length > cap ? count(item, at) : count(stringify(item), at)
      case 'boolean': return count(`${item}`, at)
      case 'number':
        if (item - item !== 0 || (item === 0 && 1 / item < 0 && !lenient)) throw new NotJson(`${at || 'the value'} is ${item === 0 ? '-0' : item}`)
        return count(`${item}`, at)
      case 'object': return item === null ? count('null', at) : writeObject(item, at)
      case 'undefined': case 'bigint': case 'symbol': case 'function': throw new NotJson(`${at || 'the value'} is ${typeof item === 'undefined' ? 'undefined' : `a ${typeof item}`}`)
    }
  }

  function writeObject(item: object, at: string): string {
    if (isProxy(item)) throw new NotJson(`${at || 'the value'} is a Proxy`)
    const prototype = getPrototypeOf(item) as unknown
    if (lenient && prototype === DatePrototype) return count(stringify(apply(toISOString, item, [])), at)
    if (!isArray(item) && prototype !== ObjectPrototype && prototype !== null) throw new NotJson(`${at || 'the value'} is not a plain object or array`)
    for (let i = 0; i < ancestors.length; i++) if (ancestors[i] === item) throw new NotJson(`${at || 'the value'} refers to itself`)
    if (ancestors.length > 1_000) throw new NotJson(`${at || 'the value'} is nested more than 1000 deep`)
    ancestors.push(item)
    const text = isArray(item) ? writeArray(item, at) : writeProperties(item, at)
    ancestors.pop()
    return text
  }

  function writeArray(list: readonly unknown[], at: string): string {
    let text = ''
    for (let i = 0; i < list.length; i++) text += (i === 0 ? '' : ',') + write(data(list, `${i}`, `${at}[${i}]`), `${at}[${i}]`)
    return `[${text}]`
  }

  function writeProperties(item: object, at: string): string {
    if (getOwnPropertySymbols(item).length > 0) throw new NotJson(`${at || 'the value'} has symbol keys`)
    let text = ''
    for (const name of keys(item)) {
      const path = `${at}.${name}`
      const field = data(item, name, path)
      if (field === undefined && lenient) continue
      text += `${text === '' ? '' : ','}${count(stringify(name), path)}:${write(field, path)}`
    }
    return `{${text}}`
  }

  try {
    return { text: write(value, '') }
  } catch (error) {
    if (error instanceof NotJson) return { problem: error.problem }
    return { problem: 'the value cannot be read' }
  }
}

function data(holder: object, name: string, path: string): unknown {
  const found = getOwnPropertyDescriptor(holder, name)
  if (found === undefined) throw new NotJson(`${path} is missing`)
  if (!('value' in found)) throw new NotJson(`${path} is a getter`)
  return found.value as unknown
}
