/** What a row of a flat table says of one object: the base it is made from, and what that base takes. */
import { types } from 'node:util'
import { kindOf } from './kind.ts'
import { apply, getOwnPropertyDescriptor, getPrototypeOf, isArray } from './safe.ts'
import { isPlaceOfError } from './shape.ts'

/** A primitive stands for itself; a list is a reference to a row, or one of the marks. */
export type Slot = unknown
/** What a row makes: base kind, its arguments, how far it is closed to change, its fields, its fields with attributes. */
export type Row = [base: Base, args: Slot[], closed: Closed, fields: Slot[], odd: Slot[]]
export type Base = 'object' | 'null' | 'array' | 'map' | 'set' | 'date' | 'regexp' | 'boxed' | 'error' | 'aggregate-error' | 'buffer' | 'growable-buffer' | 'view' | 'url' | 'url-params'
  | 'headers' | 'dom-exception' | 'symbol' | 'nothing'
export type Closed = 0 | 1 | 2 | 3

/** Left out: a function or a live thing. As a field it is dropped, elsewhere it comes back as undefined. */
export const LEFT_OUT: readonly unknown[] = ['-']

const { isProxy, isDate, isRegExp, isMap, isSet, isNativeError, isTypedArray } = types
const forEachEntry = Map.prototype.forEach
const forEachItem = Set.prototype.forEach
const isAggregate = (value: object): boolean => chain(value).includes(AggregateError.prototype)

/** The name of a class as its prototype tells it. */
export function className(object: object): string | undefined {
  if (isProxy(object)) return undefined
  for (let at = getPrototypeOf(object) as object | null; at !== null; at = getPrototypeOf(at) as object | null) {
    const maker: unknown = getOwnPropertyDescriptor(at, 'constructor')?.value
    if (typeof maker !== 'function') continue
    const name: unknown = getOwnPropertyDescriptor(maker, 'name')?.value
    return typeof name === 'string' && name !== '' ? name : undefined
  }
  return undefined
}

function chain(object: object): object[] {
  const found: object[] = []
  for (let at = getPrototypeOf(object) as object | null; at !== null; at = getPrototypeOf(at) as object | null) found[found.length] = at
  return found
}

export function baseOf(object: object): Base {
  const kind = kindOf(object)
  switch (kind) {
    case 'plain': return 'object'
    case 'null-prototype': return 'null'
    case 'array': case 'map': case 'set': case 'date': case 'regexp': case 'boxed': case 'error': case 'aggregate-error': case 'buffer': case 'growable-buffer': case 'view': case 'url':
    case 'url-params': case 'headers': case 'dom-exception': return kind
    case 'node-buffer': return 'view'
    case 'shared-buffer': return 'buffer'
    case 'instance': return isArray(object) ? 'array' : isMap(object) ? 'map' : isSet(object) ? 'set' : isDate(object) ? 'date' : isRegExp(object) ? 'regexp' : isTypedArray(object) ? 'view'
      : isNativeError(object) ? (isAggregate(object) ? 'aggregate-error' : 'error') : 'object'
    case 'sparse': case 'frozen': case 'registered-symbol': case 'symbol': case 'symbol-key': case 'accessor': case 'hidden-key': case 'extra-key': case 'function': case 'opaque': case 'window':
      return 'nothing'
  }
}

const VIEWS = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView]
const ERRORS = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]
const typeName = (object: object, types: readonly { readonly name: string; readonly prototype: object }[], otherwise: string): string =>
  types.find(type => chain(object).includes(type.prototype))?.name ?? otherwise

export function args(object: object, row: Row, slot: (value: unknown, at: string) => Slot, kind: string): void {
  const into = row[1]
  const add = (...values: Slot[]): void => { for (const value of values) into[into.length] = value }
  switch (row[0]) {
    case 'array': into[0] = undefined; into[1] = (object as unknown[]).length; break
    case 'map': {
      into[0] ??= undefined
      let n = 0
      apply(forEachEntry, object, [(value: unknown, key: unknown) => { add(slot(key, `.key(${n})`), slot(value, typeof key === 'string' ? `.get(${JSON.stringify(key)})` : `.value(${n})`)); n++ }])
      break
    }
    case 'set': {
      into[0] ??= undefined
      let n = 0
      apply(forEachItem, object, [(item: unknown) => { add(slot(item, `.item(${n++})`)) }])
      break
    }
    case 'date': into[1] = (object as Date).getTime(); break
    case 'regexp': into[1] = (object as RegExp).source; into[2] = (object as RegExp).flags; break
    case 'boxed': into[1] = slot((object as { valueOf(): unknown }).valueOf(), ''); break
    case 'error': case 'aggregate-error': {
      const described = getOwnPropertyDescriptor(object, 'stack')
      const stack: unknown = described === undefined ? undefined : 'value' in described ? described.value : (object as Error).stack
      into[1] = typeName(object, ERRORS, 'Error')
      into[2] = typeof stack === 'string' ? stack : undefined
      into[3] = kind === 'instance' && (object as Error).name === (into[1] as string) ? className(object) : undefined
      break
    }
    case 'buffer': into[1] = object; if (kind === 'shared-buffer') into[0] = 'SharedArrayBuffer'; break
    case 'growable-buffer': into[1] = object; into[2] = (object as ArrayBuffer & { maxByteLength: number }).maxByteLength; break
    case 'view': {
      const view = object as Uint8Array
      into[1] = kind === 'node-buffer' || chain(object).includes(Buffer.prototype as object) ? 'Buffer' : typeName(object, VIEWS, 'Uint8Array')
      into[2] = slot(view.buffer, '.buffer')
      into[3] = view.byteOffset
      into[4] = into[1] === 'DataView' ? view.byteLength : view.length
      break
    }
    case 'url': into[1] = (object as URL).href; break
    case 'url-params': into[1] = (object as URLSearchParams).toString(); break
    case 'headers': into[1] = [...(object as unknown as Iterable<[string, string]>)].flat(); break
    case 'dom-exception': into[1] = (object as DOMException).message; into[2] = (object as DOMException).name; into[3] = (object as { stack?: string }).stack; break
    case 'object': case 'null': case 'symbol': case 'nothing': break
  }
}

/** Keys that a base makes by itself. */
export function isMade(base: Base, key: string | symbol): boolean {
  switch (base) {
    case 'array': return key === 'length'
    case 'error': case 'aggregate-error': case 'dom-exception': return isPlaceOfError(key)
    case 'object': case 'null': case 'map': case 'set': case 'date': case 'regexp': case 'boxed': case 'buffer': case 'growable-buffer': case 'view': case 'url': case 'url-params': case 'headers':
    case 'symbol': case 'nothing': return false
  }
}
