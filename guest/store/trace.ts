 
/** A copy of what a value is made of, to see whether code that holds it changed it without touching its name. Of large values it is a sample. */
import { types } from 'node:util'
import { apply, getOwnPropertyDescriptor, getPrototypeOf, is, isArray, isExtensible, isView, ownKeys, SafeWeakMap } from './safe.ts'
import { kindOf } from './kind.ts'

/** What was met, in the order of the walk; `whole` when that was everything. */
export interface Trace { readonly items: readonly unknown[]; readonly whole: boolean }

/** Longest trace: of larger values a sample is kept. */
const LONGEST = 512
/** Of a large list or buffer so many items are looked at: its ends, and some in between. */
const SAMPLE = 64
/** Fields of an object of a sample. */
const FIELDS = 32
/** Keys of an object with more of them are not listed again: the list alone takes as long as the keys are many. */
const WIDE = 4096
const wide = new SafeWeakMap<object, true>()
const { isDate, isMap, isSet, isAnyArrayBuffer, isTypedArray, isProxy } = types
const forEachEntry = Map.prototype.forEach
const forEachItem = Set.prototype.forEach
const sizeOfMap = getOwnPropertyDescriptor(Map.prototype, 'size')?.get as () => number
const sizeOfSet = getOwnPropertyDescriptor(Set.prototype, 'size')?.get as () => number
const entriesOf = Map.prototype.entries
const itemsOf = Set.prototype.values
const { next: stepOfEntries } = getPrototypeOf(new Map<unknown, unknown>().entries()) as Iterator<[unknown, unknown]>
const { next: stepOfItems } = getPrototypeOf(new Set<unknown>().values()) as Iterator<unknown>

/** Entries and items one by one, whatever a cell made of the methods for that. */
export const entriesIn = (map: Map<unknown, unknown>): Iterator<[unknown, unknown]> => apply(entriesOf, map, [])
export const itemsIn = (set: Set<unknown>): Iterator<unknown> => apply(itemsOf, set, [])
export const nextEntry = (entries: Iterator<[unknown, unknown]>): IteratorResult<[unknown, unknown]> => apply(stepOfEntries, entries, []) as IteratorResult<[unknown, unknown]>
export const nextItem = (items: Iterator<unknown>): IteratorResult<unknown> => apply(stepOfItems, items, []) as IteratorResult<unknown>
const Bytes = Uint8Array

export const isWhole = (trace: Trace): boolean => trace.whole

export function traceOf(value: unknown): Trace {
  const whole: unknown[] = []
  if (walk(value, wholly, item => { whole[whole.length] = item; return whole.length < LONGEST })) return { items: whole, whole: true }
  const sample: unknown[] = []
  walk(value, sampled, item => { sample[sample.length] = item; return sample.length < LONGEST })
  return { items: sample, whole: false }
}

/** Whether a value is still what its trace says, as far as the trace tells. */
export function unchanged(value: unknown, { items, whole }: Trace): boolean {
  let at = 0
  if (whole) return walk(value, wholly, item => at < items.length && is(item, items[at++])) && at === items.length
  let same = true
  walk(value, sampled, item => { same &&= at < items.length && is(item, items[at++]); return same && at < LONGEST })
  return same && at === items.length
}

interface Telling { say(item: unknown): void; goesOn(): boolean; stop(): void }
type Inside = (object: object, telling: Telling) => void

/** Tells everything in a graph, in a fixed order, until told to stop. */
function walk(root: unknown, inside: Inside, tell: (item: unknown) => boolean): boolean {
  const objects: object[] = []
  let on = true
  const telling: Telling = {
    say: item => {
      on &&= tell(item)
      if (on && typeof item === 'object' && item !== null && !objects.includes(item)) objects[objects.length] = item
    },
    goesOn: () => on,
    stop: () => { on = false },
  }
  telling.say(root)
  for (let i = 0; i < objects.length && telling.goesOn(); i++) {
    const object = objects[i] as object
    if (!isProxy(object)) inside(object, telling)
  }
  return on
}

/** Everything in one object; stops at one that is too large, without listing what it has. */
function wholly(object: object, { say, goesOn, stop }: Telling): void {
  if (isMemory(object)) return bytes(object, say, goesOn)
  if (sizeOf(object) > LONGEST) return stop()
  say(isExtensible(object))
  hidden(object, say)
  if (isMap(object)) apply(forEachEntry, object, [(value: unknown, key: unknown) => { if (goesOn()) { say(key); say(value) } }])
  else if (isSet(object)) apply(forEachItem, object, [(item: unknown) => { if (goesOn()) say(item) }])
  const keys = ownKeys(object)
  say(keys.length)
  say(getPrototypeOf(object) === null)
  for (let i = 0; i < keys.length && goesOn(); i++) {
    const described = getOwnPropertyDescriptor(object, keys[i] as string | symbol)
    say(keys[i])
    say(described?.value)
  }
}

/** A part of one object that costs little whatever its size. */
function sampled(object: object, { say, goesOn }: Telling): void {
  if (isMemory(object)) {
    const view = bytesIn(object)
    say(view.length)
    return each(view.length, SAMPLE, at => { if (goesOn()) say(view[at]) })
  }
  const size = sizeOf(object)
  say(size)
  hidden(object, say)
  if (isArray(object)) return each(size, SAMPLE, at => { if (goesOn()) say(getOwnPropertyDescriptor(object, at)?.value) })
  // Only the first entries of these can be had without walking all of them.
  if (isMap(object)) return first(entriesIn(object), nextEntry, entry => { say(entry[0]); say(entry[1]) })
  if (isSet(object)) return first(itemsIn(object), nextItem, say)
  if (wide.has(object)) return
  const keys = ownKeys(object)
  if (keys.length > WIDE) return void wide.set(object, true)
  say(keys.length)
  each(keys.length, FIELDS, at => {
    if (!goesOn()) return
    say(keys[at])
    say(getOwnPropertyDescriptor(object, keys[at] as string | symbol)?.value)
  })
}

const PLAIN: unknown = Object.prototype
const { href } = Object.getOwnPropertyDescriptors(URL.prototype)
const textOfParams = URLSearchParams.prototype.toString

/** What an object is made of that is no property of it. */
export function hidden(object: object, say: (item: unknown) => void): void {
  if (isDate(object)) return say(object.getTime())
  if (isArray(object) || getPrototypeOf(object) === PLAIN) return
  const kind = kindOf(object)
  if (kind === 'url') say(apply(href.get as () => string, object, []))
  else if (kind === 'url-params') say(apply(textOfParams, object, []))
  else if (kind === 'headers') for (const [name, value] of object as unknown as Iterable<[string, string]>) { say(name); say(value) }
}

export const isMemory = (object: object): object is ArrayBuffer | ArrayBufferView => isTypedArray(object) || isAnyArrayBuffer(object) || isView(object)
const bytesIn = (memory: ArrayBuffer | ArrayBufferView): Uint8Array => isView(memory) ? new Bytes(memory.buffer, memory.byteOffset, memory.byteLength) : new Bytes(memory)

/** How many items a collection has; 0 for what is not one. */
const sizeOf = (object: object): number => isArray(object) ? object.length : isMap(object) ? apply(sizeOfMap, object, []) : isSet(object) ? apply(sizeOfSet, object, []) : 0

/** Places of a sample: the ends, and some at even distances. */
function each(length: number, most: number, visit: (at: number) => void): void {
  const few = Math.min(length, most)
  for (let i = 0; i < few; i++) visit(few === length ? i : Math.floor(i * (length - 1) / (few - 1)))
}

function first<T>(items: Iterator<T>, step: (items: Iterator<T>) => IteratorResult<T>, visit: (item: T) => void): void {
  for (let i = 0; i < FIELDS; i++) {
    const next = step(items)
    if (next.done === true) return
    visit(next.value)
  }
}

function bytes(memory: ArrayBuffer | ArrayBufferView, say: (item: unknown) => void, goesOn: () => boolean): void {
  const view = bytesIn(memory)
  for (let i = 0; i < view.length && goesOn(); i++) say(view[i])
}
