import type { NameChanges } from '../protocol.ts'
import { SafeSet } from './safe.ts'

/** A set of names as the host hears of it: what came and went since the last time. */
export class ToldNames {
  private readonly names = new SafeSet<string>()
  private fresh = true
  private readonly added = new SafeSet<string>()
  private readonly removed = new SafeSet<string>()

  has(name: string): boolean { return this.names.has(name) }

  add(name: string): void {
    if (this.names.has(name)) return
    this.names.add(name)
    if (!this.removed.delete(name)) this.added.add(name)
  }

  delete(name: string): void {
    if (this.names.delete(name) && !this.added.delete(name)) this.removed.add(name)
  }

  clear(): void {
    this.names.clear()
    this.fresh = true
  }

  /** The next changes are all of it again. */
  untold(): void { this.fresh = true }

  /** What changed since this was asked last; all of it the first time. */
  changes(): NameChanges {
    const changes = this.fresh ? { all: true, added: [...this.names], removed: [] } : { all: false, added: [...this.added], removed: [...this.removed] }
    this.fresh = false
    this.added.clear()
    this.removed.clear()
    return changes
  }
}
