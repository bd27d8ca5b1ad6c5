import type { Namespace } from './namespace.ts'

/** Marks a box without a value: never bound, or forgotten. */
export const UNSET: unique symbol = Symbol('unset')

/**
 * Marks a box whose value is still bytes; `load` reads it or throws a named error, each time. `gone`: nothing was kept
 * of the value, so the name is unbound, but reading it says why.
 */
export interface Unread { load(): unknown; readonly gone?: true }

const onV8 = process.versions['bun'] === undefined
const { create, is } = Object
const { construct, deleteProperty } = Reflect

/** A longer string is not compared at each look. */
const SHORT = 1024
/** Engines keep no shapes of objects that gain and lose properties often: V8 not once. */
const MOST_OPENINGS = onV8 ? 1 : 8

/**
 * One name. Cells get boxes as values and read or write `.v`. As a rule that is the accessor, which keeps count of touches,
 * loads what is unread, and refuses writes from a cell that was cancelled. A box that holds a number, a boolean or a short
 * string is opened: `v` is then a property of its own, as fast as the engine has it, and who wrote is found by a look.
 */
export class Box {
  readonly name: string
  readonly space: Namespace
  unread: Unread | null = null
  /**
   * The value while a read needs no check; undefined while the next one has to note a touch, load, or look elsewhere.
   * One field to look at for each read, one for each write: these are the hot paths of every loop in a cell.
   */
  private live: unknown = undefined
  /** The value while `live` does not say it. */
  private parked: unknown = UNSET
  /** 1 when touched since the last snapshot took it. */
  private seen: 0 | 1 = 0
  /** 1 when a write needs no check: seen, no cell was ever cancelled, and what comes after `undefined` or `null` need not open it. */
  private writable: 0 | 1 = 0
  /** Tick of the last touch seen. */
  tick = 0
  /** An engine-owned name: constant, never saved. */
  owned = false
  private isOpen = false
  private openings = 0
  /** It stands in the list of those that are looked at. */
  private listed = false
  /** What an open box held at the last look. */
  private known: unknown = undefined

  constructor(name: string, space: Namespace) {
    this.name = name
    this.space = space
  }

  get v(): unknown {
    const { live } = this
    return live === undefined ? this.checkedRead() : live
  }

  set v(next: unknown) {
    if (this.writable === 0) this.checkedWrite(next)
    else this.live = next
  }

  /** `v` for a cell that is strict about names: a write to one that exists nowhere throws. */
  get assigned(): unknown { return this.v }

  set assigned(next: unknown) {
    if (!this.bound && !this.space.hasGlobal(this.name)) throw new ReferenceError(`${this.name} is not defined`)
    this.v = next
  }

  /** Whether a value is bound, read or not. */
  get bound(): boolean { return this.value !== UNSET || (this.unread !== null && this.unread.gone !== true) }

  typeOf(): string {
    if (this.unread?.gone === true) return 'undefined'
    return this.bound || this.space.hasGlobal(this.name) ? typeof this.v : 'undefined'
  }

  private checkedRead(): unknown {
    if (this.seen === 1) return undefined
    if (this.unread !== null) this.load()
    const { value } = this
    if (value === UNSET) return this.space.globalValue(this.name)
    if (this.owned) return value
    this.mark()
    if (isSmall(value)) this.open(value)
    return value
  }

  private load(): void {
    const { unread } = this
    if (unread === null) return
    this.value = unread.load()
    this.unread = null
  }

  private checkedWrite(next: unknown): void {
    if (this.owned) throw new TypeError(`'${this.name}' is taken: it belongs to the notebook. Choose another name.`)
    this.space.refuseIfAborted(this.name)
    this.unread = null
    this.value = next
    if (this.seen === 0) this.mark()
    if (isSmall(next)) this.open(next)
  }

  /** The value, read without a touch; UNSET without one. Only the accessors and the store use it. */
  get value(): unknown { return this.isOpen ? this.v : this.live === undefined ? this.parked : this.live }

  set value(value: unknown) {
    if (this.isOpen) this.close()
    this.hold(value, value === UNSET ? 0 : this.seen)
  }

  /** 1 when touched since the last snapshot took it; the store sets it back to 0. */
  get touched(): 0 | 1 { return this.seen }

  set touched(touched: 0 | 1) {
    if (this.isOpen) {
      this.seen = touched
      if (touched === 0) this.known = this.v
    } else this.hold(this.value, touched)
  }

  private hold(value: unknown, touched: 0 | 1): void {
    this.seen = touched
    this.live = touched === 1 ? value : undefined
    this.parked = touched === 1 ? undefined : value
    this.writable = this.space.guarded || (value ?? null) === null ? 0 : touched
  }

  /** Writes are checked from now on. */
  guard(): void {
    if (this.isOpen) this.close()
    this.writable = 0
  }

  mark(): void {
    this.touched = 1
    this.tick = this.space.tick
    this.space.onTouch(this)
  }

  /** A cell names it: that is a use, which an open box does not see. */
  named(): void { if (this.isOpen && this.seen === 0) this.mark() }

  private open(value: unknown): void {
    if (this.space.guarded || this.openings === MOST_OPENINGS) return
    this.openings += 1
    this.isOpen = true
    this.known = value
    this.live = this.parked = undefined
    addValue(this, value)
    if (this.listed) return
    this.listed = true
    this.space.opened[this.space.opened.length] = this
  }

  /** Goes back to the accessor. */
  private close(): void {
    const { v } = this
    deleteProperty(this, 'v')
    if (onV8) keepShape(this)
    this.isOpen = false
    this.hold(v, this.seen)
  }

  /** Notes a touch when it was written while open. Answers whether it is still open, which it only is with a small value, and not when it `must` close. */
  look(must: boolean): boolean {
    if (this.isOpen) {
      const { v } = this
      if (!is(v, this.known)) {
        this.known = v
        if (this.seen === 0) this.mark()
      }
      if (must || !isSmall(v)) this.close()
    }
    this.listed = this.isOpen
    return this.isOpen
  }
}

/** Values that cannot change but by a write, and that are compared in no time. */
function isSmall(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value.length <= SHORT)
}

let added: unknown

/** Adds `v` as a class adds its fields: with `defineProperty` V8 would take each number for one that is no small integer. */
class WithValue extends (function (box: object): object { return box } as unknown as new (box: object) => object) {
  v = added
}

function addValue(box: object, value: unknown): void {
  added = value
  new WithValue(box)
  added = undefined
}

const nameOf = ({ name }: { readonly name: string }): number => name.length

/** V8 makes a table of an object that lost a property, and fields of it again when it is read as a prototype. */
function keepShape(box: Box): void {
  const heir = create(box) as Box
  for (let i = 0; i < 10; i++) nameOf(heir)
}

/**
 * A box for a name that will count. V8 makes an object for each number it writes into a field, unless all objects of that
 * shape have numbers there: so each such box has a shape of its own.
 */
export function numberBox(name: string, space: Namespace): Box {
  if (!onV8) return new Box(name, space)
  const Own = function () {}
  Own.prototype = create(Box.prototype) as object
  return construct(Box, [name, space], Own) as Box
}

// The others share one, which holds anything from the start: V8 would drop compiled code when it comes to hold more kinds.
if (onV8) for (const value of ['', 0, 0.5]) addValue(new Box('', create(null) as Namespace), value)
