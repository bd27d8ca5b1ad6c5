 
/** A copy of what a small value is made of, to see whether code that holds it changed it without touching its name. */
import { types } from 'node:util'
import { apply, getOwnPropertyDescriptor, getPrototypeOf, is, isExtensible, isView, ownKeys } from './safe.ts'

export type Trace = readonly unknown[]

/** Longest trace; values with more in them are not traced. */
const LONGEST = 512
const { isDate, isMap, isSet, isAnyArrayBuffer, isTypedArray, isProxy } = types
const forEachEntry = Map.prototype.forEach
const forEachItem = Set.prototype.forEach

/** The trace of a value, null when it is too large. */
export function traceOf(value: unknown): Trace | null {
  const trace: unknown[] = []
  return walk(value, item => { trace[trace.length] = item; return trace.length < LONGEST }) ? trace : null
}

/** Whether a value is still what its trace says. */
export function unchanged(value: unknown, trace: Trace): boolean {
  let at = 0
  return walk(value, item => at < trace.length && is(item, trace[at++])) && at === trace.length
}

/** Tells everything in a graph, in a fixed order, until told to stop. */
function walk(root: unknown, tell: (item: unknown) => boolean): boolean {
  const objects: object[] = []
  let on = true
  const say = (item: unknown): void => {
    on &&= tell(item)
    if (on && typeof item === 'object' && item !== null && !objects.includes(item)) objects[objects.length] = item
  }
  say(root)
  const goesOn = (): boolean => on
  for (let i = 0; i < objects.length && goesOn(); i++) inside(objects[i] as object, say, goesOn, () => { on = false })
  return on
}

function inside(object: object, say: (item: unknown) => void, goesOn: () => boolean, stop: () => void): void {
  if (isProxy(object)) return
  say(isExtensible(object))
  if (isDate(object)) say(object.getTime())
  else if (isMap(object)) apply(forEachEntry, object, [(value: unknown, key: unknown) => { if (goesOn()) { say(key); say(value) } }])
  else if (isSet(object)) apply(forEachItem, object, [(item: unknown) => { if (goesOn()) say(item) }])
  else if (isTypedArray(object) || isAnyArrayBuffer(object) || isView(object)) return bytes(object as ArrayBuffer | ArrayBufferView, say, goesOn)
  if (isOversized(object)) return stop()
  const keys = ownKeys(object)
  say(keys.length)
  say(getPrototypeOf(object) === null)
  for (let i = 0; i < keys.length && goesOn(); i++) {
    const described = getOwnPropertyDescriptor(object, keys[i] as string | symbol)
    say(keys[i])
    say(described?.value)
  }
}

const isOversized = (object: object): boolean => {
  const length: unknown = getOwnPropertyDescriptor(object, 'length')?.value
  return typeof length === 'number' && length > LONGEST && Array.isArray(object)
}

function bytes(memory: ArrayBuffer | ArrayBufferView, say: (item: unknown) => void, goesOn: () => boolean): void {
  const view = isView(memory) ? new Uint8Array(memory.buffer, memory.byteOffset, memory.byteLength) : new Uint8Array(memory)
  for (let i = 0; i < view.length && goesOn(); i++) say(view[i])
}
