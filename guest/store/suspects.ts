import type { NameChanges } from '../protocol.ts'
import { ToldNames } from './told-names.ts'
import type { Watched } from './watched.ts'

/**
 * Names whose saved value may be older than the live one. Each time code may have changed something a new round begins: who
 * was not looked at in full since then is a suspect. The cost of a round is what was looked at in it, not all there is.
 */
export class Suspects {
  round = 1
  /** Known to be as saved in this round, and in rounds before it. */
  private known: Watched[] = []
  private before: Watched[] = []
  private readonly names = new ToldNames()

  /** Code ran: nothing is known any more. */
  doubt(): void {
    this.round++
    const { known, before } = this
    if (before.length === 0) this.before = known
    else for (let i = 0; i < known.length; i++) before[before.length] = known[i] as Watched
    this.known = []
  }

  isKnown(watched: Watched): boolean { return watched.round === this.round }

  /** It was looked at in full, or has just been saved. */
  know(watched: Watched): void {
    watched.round = this.round
    this.known[this.known.length] = watched
    this.names.delete(watched.name)
  }

  drop(watched: Watched): void {
    watched.round = Infinity
    this.names.delete(watched.name)
  }

  /** Which names came to be suspects, and which no longer are, since this was asked last. */
  changes(): NameChanges {
    for (let i = 0; i < this.before.length; i++) {
      const watched = this.before[i] as Watched
      if (watched.round < this.round) this.names.add(watched.name)
    }
    this.before = []
    return this.names.changes()
  }

  /** The last changes did not arrive. */
  untold(): void { this.names.untold() }
}
