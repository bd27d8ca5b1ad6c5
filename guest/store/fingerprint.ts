/** A hash of everything a graph is made of, made in pieces: tells whether code that holds a large value changed it anywhere. */
import { types } from 'node:util'
import { Mixer } from './mixer.ts'
import { getOwnPropertyDescriptor, getPrototypeOf, isArray, isExtensible, isView, ownKeys, SafeMap, SafeWeakMap } from './safe.ts'
import { hasExtras, isPlaceOfError, viewHasExtras } from './shape.ts'
import { entriesIn, hidden, isMemory, itemsIn, nextEntry, nextItem } from './trace.ts'

const { isMap, isSet, isProxy, isNativeError } = types
const keyFor = Symbol.keyFor
const Bytes = Uint8Array
const Words = Int32Array
/** Between two looks at the clock at most so many steps are done; one is a few nanoseconds. */
const PIECE = 8192
const PIECE_BYTES = 1 << 18
/** Longer texts are taken in pieces, too. */
const LONG_TEXT = 1 << 16

const TAG = { undefined: 1, null: 2, true: 3, false: 4, text: 5, bigint: 6, symbol: 7, thing: 8, object: 9, hole: 10, list: 11, map: 12, set: 13, memory: 14, fields: 15 } as const

/** Things that are not looked into, functions above all, are told apart by a number. */
const things = new SafeWeakMap<object, number>()
let thing = 0

function numberOf(object: object): number {
  let number = things.get(object)
  if (number === undefined) things.set(object, number = ++thing)
  return number
}

/** Hashes a graph; each step of the generator is a small piece of the work. It runs no getter and no proxy trap. */
export function* fingerprint(root: unknown): Generator<void, string> {
  const work = new Walk()
  work.item(root)
  for (let i = 0; i < work.objects.length; i++) {
    yield* work.inside(work.objects[i] as object | string)
    if (work.isDue()) yield
  }
  return work.mixer.digest()
}

/** Runs the whole of it at once. */
export function fingerprintNow(root: unknown): string {
  const steps = fingerprint(root)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

class Walk {
  readonly mixer = new Mixer()
  /** Objects in the order they were met, and texts too long to be taken at once. */
  readonly objects: (object | string)[] = []
  private readonly met = new SafeMap<object, number>()

  isDue(): boolean {
    if (this.mixer.steps < PIECE) return false
    this.mixer.steps = 0
    return true
  }

  item(value: unknown): void {
    const { mixer } = this
    switch (typeof value) {
      case 'undefined': return mixer.word(TAG.undefined)
      case 'boolean': return mixer.word(value ? TAG.true : TAG.false)
      case 'number': return mixer.number(value)
      case 'string': return this.text(TAG.text, value)
      case 'bigint': return this.text(TAG.bigint, `${value}`)
      case 'symbol': return this.text(TAG.symbol, keyFor(value) ?? value.description ?? '')
      case 'function': mixer.word(TAG.thing); return mixer.word(numberOf(value))
      case 'object': return value === null ? mixer.word(TAG.null) : this.reference(value)
    }
  }

  private text(tag: number, text: string): void {
    this.mixer.word(tag)
    this.mixer.word(text.length)
    if (text.length <= LONG_TEXT) this.mixer.text(text, 0, text.length)
    else this.objects[this.objects.length] = text
  }

  private reference(object: object): void {
    let number = this.met.get(object)
    if (number === undefined) {
      number = this.objects.length
      this.met.set(object, number)
      this.objects[number] = object
    }
    this.mixer.word(TAG.object)
    this.mixer.word(number)
  }

  *inside(object: object | string): Generator<void, void> {
    if (typeof object === 'string') {
      for (let at = 0; at < object.length; at += LONG_TEXT) {
        this.mixer.text(object, at, at + LONG_TEXT)
        yield
      }
      return
    }
    if (isProxy(object)) return this.mixer.word(numberOf(object))
    if (isMemory(object)) return yield* this.memory(object)
    this.mixer.word(isExtensible(object) ? 1 : 0)
    const prototype = getPrototypeOf(object) as object | null
    this.mixer.word(prototype === null ? 0 : numberOf(prototype))
    if (isArray(object) && object.length > PIECE && !hasExtras(object)) return yield* this.list(object)
    hidden(object, item => { this.item(item) })
    if (isMap(object)) yield* this.map(object)
    else if (isSet(object)) yield* this.set(object)
    this.fields(object)
  }

  private *list(list: readonly unknown[]): Generator<void, void> {
    this.mixer.word(TAG.list)
    this.mixer.word(list.length)
    for (let i = 0; i < list.length; i++) {
      const item = list[i]
      if (item === undefined && !(i in list)) this.mixer.word(TAG.hole)
      else this.item(item)
      if (this.isDue()) yield
    }
  }

  private *map(map: Map<unknown, unknown>): Generator<void, void> {
    this.mixer.word(TAG.map)
    const entries = entriesIn(map)
    for (let next = nextEntry(entries); next.done !== true; next = nextEntry(entries)) {
      this.item(next.value[0])
      this.item(next.value[1])
      if (this.isDue()) yield
    }
  }

  private *set(set: Set<unknown>): Generator<void, void> {
    this.mixer.word(TAG.set)
    const items = itemsIn(set)
    for (let next = nextItem(items); next.done !== true; next = nextItem(items)) {
      this.item(next.value)
      if (this.isDue()) yield
    }
  }

  private fields(object: object): void {
    const keys = ownKeys(object)
    this.mixer.word(TAG.fields)
    this.mixer.word(keys.length)
    const isError = isNativeError(object)
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string | symbol
      if (isError && isPlaceOfError(key)) continue
      const described = getOwnPropertyDescriptor(object, key)
      if (described === undefined) continue
      this.item(key)
      this.mixer.word((described.enumerable === true ? 1 : 0) + (described.writable === true ? 2 : 0) + (described.configurable === true ? 4 : 0))
      if (described.get === undefined && described.set === undefined) this.item(described.value)
      else { this.item(described.get); this.item(described.set) }
    }
  }

  /** A view shows its buffer, which is then looked at whole; of one that shows less than half of it, only that part counts. */
  private *memory(memory: ArrayBuffer | ArrayBufferView): Generator<void, void> {
    this.mixer.word(TAG.memory)
    if (!isView(memory)) return yield* this.bytes(new Bytes(memory))
    this.mixer.word(memory.byteOffset)
    this.mixer.word(memory.byteLength)
    if (memory.byteLength * 2 < memory.buffer.byteLength) yield* this.bytes(new Bytes(memory.buffer, memory.byteOffset, memory.byteLength))
    else this.reference(memory.buffer)
    if (viewHasExtras(memory)) this.fields(memory)
  }

  private *bytes(bytes: Uint8Array): Generator<void, void> {
    const { mixer } = this
    mixer.word(bytes.length)
    // Words can be had where the memory lies right for them.
    const first = Math.min(bytes.length, (4 - bytes.byteOffset % 4) % 4)
    for (let i = 0; i < first; i++) mixer.word(bytes[i] as number)
    const words = new Words(bytes.buffer, bytes.byteOffset + first, (bytes.length - first) >> 2)
    for (let at = 0; at < words.length; at += PIECE_BYTES / 4) {
      mixer.words(words, at, at + PIECE_BYTES / 4)
      yield
    }
    for (let i = first + words.length * 4; i < bytes.length; i++) mixer.word(bytes[i] as number)
  }
}
