 
/**
 * A graph as a table: one row for each object, references by row number. Every serializer keeps a table exactly (lists,
 * primitives and buffers, three deep), so kinds that no serializer knows survive through it, at any depth.
 */
import { types } from 'node:util'
import { getOwnPropertyDescriptor, getPrototypeOf, isArray, isExtensible, isFrozen, isSealed, ownKeys, SafeMap, apply } from './safe.ts'
import { isIndex, isPlaceOfError, kindOf, viewHasExtras } from './survey.ts'

/** A primitive stands for itself; a list is a reference to a row, or one of the marks. */
export type Slot = unknown
/** What a row makes: base kind, its arguments, how far it is closed to change, its fields, its fields with attributes. */
export type Row = [base: Base, args: Slot[], closed: Closed, fields: Slot[], odd: Slot[]]
export type Base = 'object' | 'null' | 'array' | 'map' | 'set' | 'date' | 'regexp' | 'boxed' | 'error' | 'aggregate-error' | 'buffer' | 'growable-buffer' | 'view' | 'url' | 'url-params'
  | 'headers' | 'dom-exception' | 'symbol' | 'nothing'
export type Closed = 0 | 1 | 2 | 3

/** Left out: a function or a live thing. As a field it is dropped, elsewhere it comes back as undefined. */
export const LEFT_OUT: readonly unknown[] = ['-']

export interface Flat { readonly table: readonly [root: Slot, rows: readonly Row[]]; readonly losses: readonly string[] }

interface Flattening {
  readonly rows: Row[]
  readonly ids: SafeMap<object | symbol, number>
  readonly objects: (object | symbol)[]
  /** Where each row was met first: the row above and the step from it. */
  readonly above: number[]
  readonly steps: string[]
  readonly losses: string[]
  readonly name: string
}

const { isProxy, isDate, isRegExp, isMap, isSet, isNativeError, isAnyArrayBuffer, isTypedArray } = types
const forEachEntry = Map.prototype.forEach
const forEachItem = Set.prototype.forEach
const keyFor = Symbol.keyFor
const isAggregate = (value: object): boolean => chain(value).includes(AggregateError.prototype)

/** Flattens a value known under a name. */
export function flatten(root: unknown, name: string): Flat {
  const work: Flattening = { rows: [], ids: new SafeMap(), objects: [], above: [], steps: [], losses: [], name }
  const slot = slotOf(work, root, -1, '')
  for (let id = 0; id < work.objects.length; id++) {
    const object = work.objects[id]
    if (typeof object === 'object') fill(work, object, id)
  }
  shrinkBuffers(work, slot)
  return { table: [slot, work.rows], losses: work.losses }
}

const WORDS = { function: 'a function', opaque: 'a live object', symbol: 'a symbol of its own' } as const

function slotOf(work: Flattening, value: unknown, above: number, step: string): Slot {
  if (typeof value === 'symbol') {
    const key = keyFor(value)
    if (key !== undefined) return ['s', key]
    const known = WELL_KNOWN.get(value)
    if (known !== undefined) return ['w', known]
  } else if (typeof value !== 'object' && typeof value !== 'function') return value
  if (value === null) return null
  const id = work.ids.get(value)
  if (id !== undefined) return [id]
  if (typeof value === 'function') return leaveOut(work, value, above, step, isClass(value) ? 'a class' : WORDS.function)
  if (typeof value === 'object' && kindOf(value) === 'opaque') return leaveOut(work, value, above, step, isProxy(value) ? 'a proxy' : article(nounFor(value)))
  const next = work.objects.length
  work.ids.set(value, next)
  work.objects[next] = value
  work.above[next] = above
  work.steps[next] = step
  work.rows[next] = typeof value === 'symbol' ? symbolRow(work, value, above, step) : ['nothing', [], 0, [], []]
  return [next]
}

const WELL_KNOWN = new SafeMap<symbol, string>()
for (const key of Object.getOwnPropertyNames(Symbol)) {
  const found: unknown = (Symbol as unknown as Record<string, unknown>)[key]
  if (typeof found === 'symbol') WELL_KNOWN.set(found, key)
}
export const wellKnownSymbol = (key: string): symbol | undefined => [...WELL_KNOWN].find(entry => entry[1] === key)?.[0]

function symbolRow(work: Flattening, symbol: symbol, above: number, step: string): Row {
  lose(work, above, step, 'is a symbol of its own: it comes back as a new one')
  return ['symbol', [symbol.description], 0, [], []]
}

const isClass = (value: object): boolean => getOwnPropertyDescriptor(value, 'prototype')?.writable === false
const article = (noun: string): string => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`

const tagOf = Object.prototype.toString
function nounFor(value: object): string {
  const name = className(value)
  return name === undefined || name === 'Object' ? `live object (${apply<object, [], string>(tagOf, value, []).slice(8, -1)})` : name
}

function leaveOut(work: Flattening, _value: object, above: number, step: string, what: string): Slot {
  lose(work, above, step, `is ${what}: it is left out`)
  return LEFT_OUT
}

function lose(work: Flattening, above: number, step: string, what: string): void {
  let path = step
  for (let id = above; id >= 0; id = work.above[id] as number) path = `${work.steps[id]}${path}`
  work.losses[work.losses.length] = `${work.name}${path} ${what}`
}

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

const step = (key: string | symbol): string => typeof key === 'symbol' ? `[${String(key)}]` : isIndex(key) ? `[${key}]` : /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`

function fill(work: Flattening, object: object, id: number): void {
  const row = work.rows[id] as Row
  const kind = kindOf(object)
  row[0] = baseOf(object)
  if (kind === 'instance') {
    lose(work, id, '', `is ${article(`instance of ${className(object) ?? 'a class'}`)}: its fields are kept, its class is not`)
    row[1][0] = className(object)
  } else if (kind === 'shared-buffer') lose(work, id, '', 'is shared memory: it comes back as memory of its own')
  const slot = (value: unknown, at: string): Slot => slotOf(work, value, id, at)
  args(object, row, slot, kind)
  fields(work, object, row, id, slot)
  row[2] = isExtensible(object) || isTypedArray(object) ? 0 : isFrozen(object) ? 3 : isSealed(object) ? 2 : 1
}

function baseOf(object: object): Base {
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

function args(object: object, row: Row, slot: (value: unknown, at: string) => Slot, kind: string): void {
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
function isMade(base: Base, key: string | symbol): boolean {
  switch (base) {
    case 'array': return key === 'length'
    case 'error': case 'aggregate-error': case 'dom-exception': return isPlaceOfError(key)
    case 'object': case 'null': case 'map': case 'set': case 'date': case 'regexp': case 'boxed': case 'buffer': case 'growable-buffer': case 'view': case 'url': case 'url-params': case 'headers':
    case 'symbol': case 'nothing': return false
  }
}

function fields(work: Flattening, object: object, row: Row, id: number, slot: (value: unknown, at: string) => Slot): void {
  const base = row[0]
  if (base === 'url' || base === 'url-params' || base === 'headers' || base === 'dom-exception') return
  const boxedText = base === 'boxed' && typeof row[1][1] === 'string'
  const keys = isTypedArray(object) ? (viewHasExtras(object) ? ownKeys(object).slice(object.length) : []) : ownKeys(object)
  for (const key of keys) {
    if (isMade(base, key) || (boxedText && (key === 'length' || isIndex(key as string)))) continue
    const described = getOwnPropertyDescriptor(object, key)
    if (described === undefined) continue
    if (described.get !== undefined || described.set !== undefined) {
      lose(work, id, step(key), 'is an accessor: it is left out')
      continue
    }
    const value = slot(described.value, step(key))
    const at = typeof key === 'symbol' ? slot(key, `[${String(key)}]`) : key
    const attributes = (described.enumerable === true ? 1 : 0) + (described.writable === true ? 2 : 0) + (described.configurable === true ? 4 : 0)
    const into = attributes === 7 || !isExtensible(object) && described.enumerable === true ? row[3] : row[4]
    into[into.length] = at
    if (into === row[4]) into[into.length] = attributes
    into[into.length] = value
  }
}

/** A buffer that only views show is kept as far as they show it, when that saves more than half. */
function shrinkBuffers(work: Flattening, root: Slot): void {
  const shown = new SafeMap<number, { from: number; to: number; views: Row[] }>()
  const direct = new SafeMap<number, true>()
  const refer = (slot: Slot): void => { if (isArray(slot) && typeof slot[0] === 'number') direct.set(slot[0], true) }
  refer(root)
  for (const row of work.rows) {
    if (row[0] === 'view') {
      const [, type, buffer, offset, length] = row[1] as [unknown, string, [number], number, number]
      const size = length * (BYTES[type] ?? 1)
      const seen = shown.get(buffer[0]) ?? { from: offset, to: offset + size, views: [] }
      shown.set(buffer[0], { from: Math.min(seen.from, offset), to: Math.max(seen.to, offset + size), views: [...seen.views, row] })
    } else row[1].forEach(refer)
    row[3].forEach(refer)
    row[4].forEach(refer)
  }
  for (const [id, { from, to, views }] of shown) {
    const row = work.rows[id]
    const bytes = row?.[1][1]
    if (row?.[0] !== 'buffer' || !isAnyArrayBuffer(bytes) || direct.has(id) || (to - from) * 2 >= bytes.byteLength) continue
    const start = from - from % 8
    row[1][1] = bytes.slice(start, to)
    for (const view of views) view[1][3] = (view[1][3] as number) - start
  }
  for (const row of work.rows) if (row[0] === 'buffer' && types.isSharedArrayBuffer(row[1][1])) row[1][1] = copyOf(row[1][1])
}

function copyOf(shared: SharedArrayBuffer): ArrayBuffer {
  const copy = new ArrayBuffer(shared.byteLength)
  new Uint8Array(copy).set(new Uint8Array(shared))
  return copy
}

const BYTES: Readonly<Record<string, number>> = { Int16Array: 2, Uint16Array: 2, Int32Array: 4, Uint32Array: 4, Float32Array: 4, Float64Array: 8, BigInt64Array: 8, BigUint64Array: 8 }
