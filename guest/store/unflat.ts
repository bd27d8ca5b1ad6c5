 
/** The way back from a table to the graph: first every object, then what is in it, then what closes it to change. */
import type { Base, Row, Slot } from './row.ts'
import { wellKnownSymbol } from './flat.ts'
import { create, defineProperty, freeze, isArray, ownKeys, preventExtensions, seal } from './safe.ts'

const VIEWS = { Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView } as const
const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError } as const
type Making = { readonly rows: readonly Row[]; readonly made: unknown[] }
const globals = globalThis as unknown as Record<string, new (...args: unknown[]) => object>
const Shared = SharedArrayBuffer
const Bytes = Uint8Array
const symbolFor = Symbol.for
const bufferOver = Buffer.from.bind(Buffer) as (memory: ArrayBuffer, offset: number, length: number) => Buffer

/** Makes the value a table describes. */
export function unflatten(table: unknown): unknown {
  const [root, rows] = table as [Slot, Row[]]
  const making: Making = { rows, made: new Array(rows.length) }
  for (let id = 0; id < rows.length; id++) make(making, id)
  for (let id = 0; id < rows.length; id++) fill(making, id)
  for (let id = 0; id < rows.length; id++) close(making.made[id], (rows[id] as Row)[2])
  return valueOf(making, root)
}

function valueOf(making: Making, slot: Slot): unknown {
  if (!isArray(slot)) return slot
  const mark: unknown = slot[0]
  switch (mark) {
    case '-': return undefined
    case 's': return symbolFor(slot[1] as string)
    case 'w': return wellKnownSymbol(slot[1] as string)
    default: return making.made[mark as number]
  }
}

function make(making: Making, id: number): unknown {
  if (making.made[id] === undefined) making.made[id] = fresh(making, making.rows[id] as Row)
  return making.made[id]
}

function fresh(making: Making, row: Row): unknown {
  const args = row[1]
  switch (row[0]) {
    case 'object': return {}
    case 'null': return create(null)
    case 'array': { const list: unknown[] = []; list.length = args[1] as number; return list }
    case 'map': return new Map()
    case 'set': return new Set()
    case 'date': return new Date(args[1] as number)
    case 'regexp': return new RegExp(args[1] as string, args[2] as string)
    case 'boxed': return Object(valueOf(making, args[1]))
    case 'error': return withStack(new ERRORS[args[1] as keyof typeof ERRORS](), args)
    case 'aggregate-error': return withStack(new AggregateError([]), args)
    case 'buffer': return args[0] === 'SharedArrayBuffer' ? shared(args[1] as ArrayBuffer) : args[1]
    case 'growable-buffer': return growable(args[1] as ArrayBuffer, args[2] as number)
    case 'view': return view(make(making, (args[2] as [number])[0]) as ArrayBuffer, args)
    case 'url': case 'url-params': return new (globals[row[0] === 'url' ? 'URL' : 'URLSearchParams'] as new (text: string) => object)(args[1] as string)
    case 'headers': return headers(args[1] as string[])
    case 'dom-exception': return withOwn(new (globals['DOMException'] as new (...args: unknown[]) => object)(args[1], args[2]), 'stack', args[3])
    case 'symbol': return Symbol(args[0] as string | undefined)
    case 'nothing': return undefined
  }
}

/** A fresh error without its own stack, message or place: the saved ones come with the fields. */
function withStack(error: Error, args: readonly Slot[]): Error {
  for (const key of ownKeys(error)) if (key !== 'stack') Reflect.deleteProperty(error, key)
  withOwn(error, 'stack', args[2])
  return args[3] === undefined ? error : withOwn(error, 'name', args[3])
}

function withOwn<T extends object>(object: T, key: string, value: unknown): T {
  return value === undefined ? object : defineProperty(object, key, { value, writable: true, enumerable: false, configurable: true })
}

function shared(bytes: ArrayBuffer): SharedArrayBuffer {
  const memory = new Shared(bytes.byteLength)
  new Bytes(memory).set(new Bytes(bytes))
  return memory
}

function growable(bytes: ArrayBuffer, maxByteLength: number): ArrayBuffer {
  const buffer = new (ArrayBuffer as unknown as new (length: number, options: object) => ArrayBuffer)(bytes.byteLength, { maxByteLength })
  new Bytes(buffer).set(new Bytes(bytes))
  return buffer
}

function view(buffer: ArrayBuffer, args: readonly Slot[]): object {
  const [, type, , offset, length] = args as [unknown, string, unknown, number, number]
  if (type === 'Buffer') return bufferOver(buffer, offset, length)
  return new (VIEWS[type as keyof typeof VIEWS] as Uint8ArrayConstructor)(buffer, offset, length)
}

function headers(flat: readonly string[]): object {
  const pairs: string[][] = []
  for (let i = 0; i < flat.length; i += 2) pairs[pairs.length] = [flat[i] as string, flat[i + 1] as string]
  return new (globals['Headers'] as new (pairs: string[][]) => object)(pairs)
}

const MAP_SET = Map.prototype.set
const SET_ADD = Set.prototype.add

function fill(making: Making, id: number): void {
  const [base, args, , fields, odd] = making.rows[id] as Row
  const object = making.made[id] as object
  if (base === 'map') for (let i = 1; i + 1 < args.length; i += 2) Reflect.apply(MAP_SET, object, [valueOf(making, args[i]), valueOf(making, args[i + 1])])
  if (base === 'set') for (let i = 1; i < args.length; i++) Reflect.apply(SET_ADD, object, [valueOf(making, args[i])])
  for (let i = 0; i < fields.length; i += 2) define(making, object, base, fields[i], fields[i + 1], 7)
  for (let i = 0; i < odd.length; i += 3) define(making, object, base, odd[i], odd[i + 2], odd[i + 1] as number)
}

function define(making: Making, object: object, base: Base, at: Slot, slot: Slot, attributes: number): void {
  if (isArray(slot) && slot[0] === '-' && base !== 'array') return
  const key = (isArray(at) ? valueOf(making, at) : at) as PropertyKey
  const value = valueOf(making, slot)
  if (base === 'regexp' && key === 'lastIndex') { (object as RegExp).lastIndex = value as number; return }
  defineProperty(object, key, { value, enumerable: (attributes & 1) !== 0, writable: (attributes & 2) !== 0, configurable: (attributes & 4) !== 0 })
}

function close(object: unknown, how: Row[2]): void {
  switch (how) {
    case 0: return
    case 1: preventExtensions(object); return
    case 2: seal(object as object); return
    case 3: freeze(object); return
  }
}
