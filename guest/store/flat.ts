 
/**
 * A graph as a table: one row for each object, references by row number. Every serializer keeps a table exactly (lists,
 * primitives and buffers, three deep), so kinds that no serializer knows survive through it, at any depth.
 */
import { types } from 'node:util'
import { kindOf } from './kind.ts'
import { args, baseOf, className, isMade, LEFT_OUT, type Row, type Slot } from './row.ts'
import { apply, getOwnPropertyDescriptor, isExtensible, isFrozen, isSealed, ownKeys, SafeMap } from './safe.ts'
import { isIndex, viewHasExtras } from './shape.ts'
import { shrinkBuffers } from './windows.ts'

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

const { isProxy, isTypedArray } = types
const keyFor = Symbol.keyFor
/** Flattens a value known under a name. */
export function flatten(root: unknown, name: string): Flat {
  const work: Flattening = { rows: [], ids: new SafeMap(), objects: [], above: [], steps: [], losses: [], name }
  const slot = slotOf(work, root, -1, '')
  for (let id = 0; id < work.objects.length; id++) {
    const object = work.objects[id]
    if (typeof object === 'object') fill(work, object, id)
  }
  shrinkBuffers(work.rows, slot)
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
