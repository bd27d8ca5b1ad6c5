import type { SavedFrame } from '../protocol.ts'
import { SafeMap, SafeSet } from './safe.ts'

/** Where a saved name stands: which value, which part of it. */
export interface Place { readonly id: number; readonly part: number }

/** Where each name of the current generation is, and what all of it weighs. */
export class Places {
  /** Bytes of all values that any name stands in. */
  bytes = 0
  private fresh = true
  private readonly added = new SafeSet<string>()
  private readonly removed = new SafeSet<string>()
  private readonly byName = new SafeMap<string, Place>()
  private readonly uses = new SafeMap<number, number>()
  private readonly sizeOf: (id: number) => number

  constructor(sizeOf: (id: number) => number) { this.sizeOf = sizeOf }

  get(name: string): Place | undefined { return this.byName.get(name) }
  has(name: string): boolean { return this.byName.has(name) }
  get count(): number { return this.byName.size }

  /** Which names came and went since this was asked last; all of them after a restore. */
  changes(): SavedFrame['names'] {
    const changes = this.fresh ? { all: true, added: [...this.byName.keys()], removed: [] } : { all: false, added: [...this.added], removed: [...this.removed] }
    this.fresh = false
    this.added.clear()
    this.removed.clear()
    return changes
  }

  /** Whether any name still stands in a value. */
  holds(id: number): boolean { return this.uses.has(id) }

  set(name: string, place: Place): void {
    const before = this.byName.get(name)
    this.byName.set(name, place)
    this.use(place.id, 1)
    if (before !== undefined) this.use(before.id, -1)
    else {
      this.removed.delete(name)
      this.added.add(name)
    }
  }

  delete(name: string): void {
    const before = this.byName.get(name)
    if (!this.byName.delete(name) || before === undefined) return
    this.use(before.id, -1)
    if (!this.added.delete(name)) this.removed.add(name)
  }

  clear(): void {
    this.byName.clear()
    this.uses.clear()
    this.bytes = 0
    this.fresh = true
  }

  /** What the state would weigh if these names had a value of `size` bytes instead. */
  weightWith(names: readonly string[], size: number): number {
    const left = new SafeMap<number, number>()
    for (const name of names) {
      const id = this.byName.get(name)?.id
      if (id !== undefined) left.set(id, (left.get(id) ?? this.uses.get(id) ?? 0) - 1)
    }
    let bytes = this.bytes + size
    for (const [id, uses] of left) if (uses === 0) bytes -= this.sizeOf(id)
    return bytes
  }

  private use(id: number, by: 1 | -1): void {
    const before = this.uses.get(id) ?? 0
    if (before === 0) this.bytes += this.sizeOf(id)
    if (before + by > 0) this.uses.set(id, before + by)
    else {
      this.uses.delete(id)
      this.bytes -= this.sizeOf(id)
    }
  }
}
