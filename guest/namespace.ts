import { currentCell } from './context.ts'
import { keepMethods } from './keep-methods.ts'

/** Marks a box without a value: never bound, or forgotten. */
export const UNSET: unique symbol = Symbol('unset')

/**
 * Marks a box whose value is still bytes; `load` reads it or throws a named error, each time. `gone`: nothing was kept
 * of the value, so the name is unbound, but reading it says why.
 */
export interface Unread { load(): unknown; readonly gone?: true }

const onV8 = process.versions['bun'] === undefined
const { construct } = Reflect
const { create } = Object

/**
 * One name. Cells get boxes as values and read or write `.v`; the accessor keeps count of touches, loads what is
 * unread, and refuses writes from a cell that was cancelled.
 */
export class Box {
  // Declared alone: `live` comes where the constructor puts it, and not at all in a box for a number.
  declare readonly name: string
  declare readonly space: Namespace
  declare unread: Unread | null
  /**
   * The value while a read needs no check; undefined while the next one has to note a touch, load, or look elsewhere.
   * One field to look at for each read, one for each write: these are the hot paths of every loop in a cell.
   */
  declare private live: unknown
  /** See `numberBox`. */
  declare private readonly forNumbers: boolean
  /** The value while `live` does not say it. */
  declare private parked: unknown
  /** 1 when touched since the last snapshot took it. */
  declare private seen: 0 | 1
  /** 1 when a write needs no check: seen, and no cell was ever cancelled. */
  declare private writable: 0 | 1
  /** Tick of the last touch seen. */
  declare tick: number
  /** An engine-owned name: constant, never saved. */
  declare owned: boolean

  constructor(name: string, space: Namespace) {
    this.name = name
    this.space = space
    this.unread = null
    this.forNumbers = new.target !== Box
    if (!this.forNumbers) this.live = undefined
    this.parked = UNSET
    this.seen = 0
    this.writable = 0
    this.tick = 0
    this.owned = false
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
    if (this.value === UNSET) return this.space.globalValue(this.name)
    if (!this.owned) this.mark()
    return this.value
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
    this.mark()
  }

  /** The value, read without a touch; UNSET without one. Only the accessors and the store use it. */
  get value(): unknown { return this.live === undefined ? this.parked : this.live }

  set value(value: unknown) { this.hold(value, value === UNSET ? 0 : this.seen) }

  /** 1 when touched since the last snapshot took it; the store sets it back to 0. */
  get touched(): 0 | 1 { return this.seen }

  set touched(touched: 0 | 1) { this.hold(this.value, touched) }

  private hold(value: unknown, touched: 0 | 1): void {
    // Who reads a number cannot change it, so that needs no note; and its field must never hold anything else, see `numberBox`.
    const unchecked = touched === 1 || (this.forNumbers && typeof value === 'number')
    this.seen = touched
    this.live = unchecked ? value : undefined
    this.parked = unchecked ? undefined : value
    this.writable = this.space.guarded ? 0 : touched
  }

  /** Writes are checked from now on. */
  guard(): void { this.writable = 0 }

  mark(): void {
    this.touched = 1
    this.tick = this.space.tick
    this.space.onTouch(this)
  }
}

/**
 * A box for a name that begins as a number. V8 makes an object for each number it writes into a field, unless all objects of
 * that shape have numbers there: so each such box has a shape of its own.
 */
function numberBox(name: string, space: Namespace): Box {
  const Own = function () {}
  Own.prototype = create(Box.prototype) as object
  return construct(Box, [name, space], Own) as Box
}

/** The notebook's names. */
export class Namespace {
  readonly boxes = keepMethods(new Map<string, Box>())
  /** Strictly increasing; the store moves it on at each snapshot and each cell. */
  tick = 1
  private isGuarded = false
  /** Called at the first touch of a name since the last snapshot. */
  onTouch: (box: Box) => void = () => {}
  private readonly globals = keepMethods(new Map<string, unknown>())

  /** True once any cell was cancelled: writes then ask whose they are. */
  get guarded(): boolean { return this.isGuarded }

  set guarded(guarded: boolean) {
    this.isGuarded = guarded
    if (guarded) for (const box of this.boxes.values()) box.guard()
  }

  /** The box of a name; `asNumber`: one that is not there yet will first hold a number. */
  box(name: string, asNumber = false): Box {
    let box = this.boxes.get(name)
    if (box === undefined) this.boxes.set(name, box = asNumber && onV8 ? numberBox(name, this) : new Box(name, this))
    return box
  }

  /** Names with a value that belongs to the agent, in the order they were first bound. */
  names(): string[] {
    return [...this.boxes.values()].filter(box => box.bound && !box.owned).map(box => box.name)
  }

  /** Names a cell can read: those of the agent, of the notebook, and of plugins. */
  visible(): string[] {
    return [...[...this.boxes.values()].filter(box => box.bound).map(box => box.name), ...this.globals.keys()]
  }

  has(name: string): boolean { return this.boxes.get(name)?.bound ?? false }

  /** Whether reading the name is this namespace's affair: it is bound, or says why it no longer is. */
  answers(name: string): boolean {
    const box = this.boxes.get(name)
    return box !== undefined && (box.bound || box.unread !== null)
  }

  own(name: string, value: unknown): void {
    const box = this.box(name)
    box.value = value
    box.owned = true
  }

  global(name: string, value: unknown): void { this.globals.set(name, value) }

  /** The value a name has outside the namespace; throws ReferenceError when it has none. */
  globalValue(name: string): unknown {
    if (this.globals.has(name)) return this.globals.get(name)
    if (name in globalThis) return (globalThis as Record<string, unknown>)[name]
    throw new ReferenceError(`${name} is not defined`)
  }

  /** A plugin supplies a value for the name that every cell can read. */
  provides(name: string): boolean { return this.globals.has(name) }

  /** The name can only mean the platform's global as long as no cell binds it. */
  isPlatform(name: string): boolean { return !this.globals.has(name) && name in globalThis }

  hasGlobal(name: string): boolean { return this.globals.has(name) || name in globalThis }

  /** Removes a name for good; false when it was not bound. */
  forget(name: string): boolean {
    const box = this.boxes.get(name)
    if (box === undefined || !(box.bound || box.unread !== null)) return false
    if (box.owned) throw new TypeError(`'${name}' belongs to the notebook and cannot be forgotten.`)
    this.refuseIfAborted(name)
    box.value = UNSET
    box.unread = null
    box.touched = 0
    this.onTouch(box)
    return true
  }

  refuseIfAborted(name: string): void {
    if (this.guarded && currentCell()?.state === 'aborted') {
      throw new Error(`cell ${currentCell()?.number} was cancelled: it can no longer change '${name}'`)
    }
  }
}
