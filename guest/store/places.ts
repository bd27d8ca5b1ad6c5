import type { NameChanges } from '../protocol.ts'
import { SafeMap } from './safe.ts'
import { ToldNames } from './told-names.ts'

/** Where a saved name stands: which value, which part of it. */
export interface Place { readonly id: number; readonly part: number }

/** Where each name of the current generation is, and what all of it weighs. */
export class Places {
  /** Bytes of all values that any name stands in. */
  bytes = 0
  private readonly told = new ToldNames()
  private readonly byName = new SafeMap<string, Place>()
  private readonly uses = new SafeMap<number, number>()
  private readonly sizeOf: (id: number) => number

  constructor(sizeOf: (id: number) => number) { this.sizeOf = sizeOf }

  get(name: string): Place | undefined { return this.byName.get(name) }
  has(name: string): boolean { return this.byName.has(name) }
  get count(): number { return this.byName.size }

  /** Which names came and went since this was asked last; all of them after a restore. */
  changes(): NameChanges { return this.told.changes() }

  /** Whether any name still stands in a value. */
  holds(id: number): boolean { return this.uses.has(id) }

  set(name: string, place: Place): void {
    const before = this.byName.get(name)
    this.byName.set(name, place)
    this.use(place.id, 1)
    if (before === undefined) this.told.add(name)
    else this.use(before.id, -1)
  }

  delete(name: string): void {
    const before = this.byName.get(name)
    if (!this.byName.delete(name) || before === undefined) return
    this.use(before.id, -1)
    this.told.delete(name)
  }

  clear(): void {
    this.byName.clear()
    this.uses.clear()
    this.bytes = 0
    this.told.clear()
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
