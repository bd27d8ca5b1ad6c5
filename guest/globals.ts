import { types } from 'node:util'
import { criticalSlots, describe, everySlot, PLANTED, plainGlobals, SHARED_PROTOTYPES, type Slot, slot, vitalSlots } from './intrinsics.ts'

const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, is, setPrototypeOf } = Object
const { isProxy } = types
const { ownKeys, deleteProperty, apply, setPrototypeOf: setPrototype } = Reflect
const { has } = Set.prototype
const ObjectPrototype = Object.prototype
const NativeError = Error
const stackTraceLimit = describe(NativeError, 'stackTraceLimit')
const behindGlobals = getPrototypeOf(globalThis) as object | null
const NOTHING: readonly string[] = []

/** What the guest found in place when it started, and how to put it back. */
export interface Globals {
  /** True when something the engine leans on is not what it was. Cheap: a few microseconds. */
  dirty(): boolean
  /** Names of everything replaced or removed since the start, and of what was added where every object sees it. */
  changed(): readonly string[]
  /** Runs the engine's own `work` with the originals in place, then puts the cells' versions back. */
  clean<T>(work: () => T): T
  /** The same after a look at everything and not only at what each cell leans on: for work that has failed. */
  cleanAll<T>(work: () => T): T
  /** The same for work that goes on later; cells see the originals meanwhile. */
  hold<T>(work: () => Promise<T>): Promise<T>
  /** Both: for work that is rare, such as a save. */
  holdAll<T>(work: () => Promise<T>): Promise<T>
  /** Puts the originals back for good; answers what it changed. */
  reset(): readonly string[]
  /** Counts a property that came later among what was found in place. */
  watch(holder: object, key: PropertyKey, label: string): void
  /** Looks at what is left to look at; must be called before the first cell. */
  complete(): void
  /** Puts back what no runtime goes on without, whoever replaced it; answers what that was. */
  keepVital(): readonly string[]
}

interface Undo { readonly holder: object; readonly key: PropertyKey; readonly now: PropertyDescriptor | undefined; readonly next: Undo | null }
interface Shared { readonly label: string; readonly holder: object; readonly known: Set<PropertyKey>; readonly count: number }

/** Looks at the intrinsics as they are now. Nothing here reads an inherited property: a cell may have planted accessors. */
export function captureGlobals(): Globals {
  plainGlobals()
  // Some thousand properties, which nobody has to wait for who only waits for the guest to be ready.
  let all: Slot[] | undefined
  const every = (): Slot[] => all ??= everySlot()
  const critical = criticalSlots()
  const vital = vitalSlots()
  const shared: readonly Shared[] = SHARED_PROTOTYPES.map(([label, holder]) => ({ label, holder, known: new Set(ownKeys(holder)), count: ownKeys(holder).length }))

  const dirty = (): boolean => {
    for (let i = 0; i < shared.length; i++) if (ownKeys(shared[i]!.holder).length !== shared[i]!.count) return true
    for (let i = 0; i < critical.length; i++) if (replaced(critical[i]!)) return true
    return false
  }

  /** Puts originals back, what was added first; answers how to undo that. */
  const restore = (): Undo | null => {
    let undo: Undo | null = null
    const change = (holder: object, key: PropertyKey, to: PropertyDescriptor | undefined): void => {
      undo = { holder, key, now: describe(holder, key), next: undo }
      put(holder, key, to)
    }
    for (let i = 0; i < shared.length; i++) eachAdded(shared[i]!, key => { change(shared[i]!.holder, key, undefined) })
    const slots = every()
    for (let i = 0; i < slots.length; i++) if (differs(slots[i]!)) change(slots[i]!.holder, slots[i]!.key, slots[i]!.original)
    return undo
  }

  // Work that holds the originals may outlast the work it was begun in.
  let holders = 0
  let cells: Undo | null = null
  const enter = (): void => {
    if (holders++ === 0) cells = restore()
  }
  const leave = (): void => {
    if (--holders > 0) return
    for (let step = cells; step !== null; step = step.next) put(step.holder, step.key, step.now)
    cells = null
  }

  const clean = <T>(work: () => T): T => within(work, dirty)
  const anyChanged = (): boolean => dirty() || changed().length > 0
  const within = <T>(work: () => T, needed: () => boolean): T => {
    if (holders > 0 || !needed()) return work()
    enter()
    try { return work() } finally { leave() }
  }

  const hold = <T>(work: () => Promise<T>): Promise<T> => held(work, dirty)
  const holdAll = <T>(work: () => Promise<T>): Promise<T> => held(work, anyChanged)
  const held = async <T>(work: () => Promise<T>, needed: () => boolean): Promise<T> => {
    if (holders === 0 && !needed()) return work()
    enter()
    try { return await work() } finally { leave() }
  }

  const changed = (): readonly string[] => {
    let names = NOTHING
    for (let i = 0; i < shared.length; i++) eachAdded(shared[i]!, key => { if (harmful(shared[i]!.holder, key)) names = withName(names, `${shared[i]!.label}.${keyText(key)}`) })
    const slots = every()
    for (let i = 0; i < slots.length; i++) if (differs(slots[i]!)) names = withName(names, slots[i]!.label)
    return names
  }

  return {
    dirty, clean, cleanAll: work => within(work, anyChanged), hold, holdAll, changed,
    // The first look at the prototypes takes a hundred times as long as later ones.
    complete: () => { every(); dirty() },
    reset: () => {
      const names = changed()
      restore()
      return names
    },
    watch: (holder, key, label) => {
      const [found] = slot(holder, key, label)
      if (found === undefined) return
      add(every(), found)
      add(critical, found)
    },
    keepVital: () => {
      let kept = NOTHING
      for (let i = 0; i < vital.length; i++) {
        if (!differs(vital[i]!)) continue
        put(vital[i]!.holder, vital[i]!.key, vital[i]!.original)
        kept = withName(kept, vital[i]!.label)
      }
      for (let i = 0; i < PLANTED.length; i++) {
        const [holder, key, label] = PLANTED[i]!
        if (describe(holder, key) !== undefined && deleteProperty(holder, key)) kept = withName(kept, label)
      }
      // bun runs no code while a proxy stands behind the globals.
      const behind = getPrototypeOf(globalThis) as object | null
      if (behind !== behindGlobals && isProxy(behind) && setPrototype(globalThis, behindGlobals)) kept = withName(kept, 'the prototype of globalThis')
      // A number is the cells' to choose; code that runs at each error is not, since it may throw one.
      if (describe(NativeError, 'stackTraceLimit')?.get !== undefined) {
        put(NativeError, 'stackTraceLimit', stackTraceLimit)
        kept = withName(kept, 'Error.stackTraceLimit')
      }
      return kept
    },
  }
}

function withName(names: readonly string[], name: string): readonly string[] {
  const longer = names === NOTHING ? [] : names as string[]
  add(longer, name)
  return longer
}

/** Makes a list longer by definition of an own element, which no setter of a prototype sees. */
function add<T>(list: T[], item: T): void {
  defineProperty(list, list.length, { __proto__: null, value: item, writable: true, enumerable: true, configurable: true } as PropertyDescriptor)
}

/** Whether a property is not the original any more; nothing that was added to Object.prototype shows through either. */
function differs({ holder, key, original }: Slot): boolean {
  const now = describe(holder, key)
  setPrototypeOf(original, null)
  return now === undefined || !is(now.value, original.value) || now.get !== original.get || now.set !== original.set
}

/** The same, cheaper, while nothing was added to Object.prototype that would show through a descriptor. */
function replaced({ holder, key, original }: Slot): boolean {
  const now = getOwnPropertyDescriptor(holder, key)
  return now === undefined || !is(now.value, original.value) || now.get !== original.get || now.set !== original.set
}

function eachAdded({ holder, known }: Shared, visit: (key: PropertyKey) => void): void {
  const keys = ownKeys(holder)
  for (let i = 0; i < keys.length; i++) if (!(apply(has, known, [keys[i]]) as boolean)) visit(keys[i]!)
}

/** A method more on Array.prototype is a habit; what every object shows, or what runs when something is read or written, is not. */
function harmful(holder: object, key: PropertyKey): boolean {
  const now = describe(holder, key)
  return holder === ObjectPrototype || now?.get !== undefined || now?.set !== undefined
}

function put(holder: object, key: PropertyKey, descriptor: PropertyDescriptor | undefined): void {
  try {
    if (descriptor === undefined) deleteProperty(holder, key)
    else defineProperty(holder, key, descriptor)
  } catch { /* frozen by a cell: it stays as the cell made it */ }
}

const keyText = (key: PropertyKey): string => typeof key === 'symbol' ? 'a symbol' : `${key}`
