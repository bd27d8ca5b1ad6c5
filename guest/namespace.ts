import { Box, numberBox, UNSET } from './box.ts'
import { currentCell } from './context.ts'
import { keepMethods } from './keep-methods.ts'

export { Box, UNSET, type Unread } from './box.ts'

/** Of more open boxes than this, the oldest are closed: each is looked at with each cell and save. */
const MOST_OPEN = 256

/** The notebook's names. */
export class Namespace {
  readonly boxes = keepMethods(new Map<string, Box>())
  /** Boxes that were opened; in between two looks some may have closed. */
  readonly opened: Box[] = []
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

  /** The box of a name; `counts`: one that is not there yet will hold numbers. */
  box(name: string, counts = false): Box {
    let box = this.boxes.get(name)
    if (box === undefined) this.boxes.set(name, box = counts ? numberBox(name, this) : new Box(name, this))
    return box
  }

  /** Finds out which open boxes were written. */
  look(): void {
    const { opened } = this
    const tooMany = opened.length - MOST_OPEN
    let kept = 0
    for (let i = 0; i < opened.length; i++) {
      const box = opened[i] as Box
      if (box.look(i < tooMany)) opened[kept++] = box
    }
    opened.length = kept
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
