import type { SavedFrame, SnapshotReport } from '../guest/protocol.ts'

/** The names a state holds, kept on this side: only what changed crosses with each save. */
export class SavedNames {
  private names = new Set<string>()

  /** The whole report, from what crossed. */
  report({ names, ...rest }: SavedFrame): SnapshotReport {
    if (names.all) this.names = new Set()
    for (const name of names.removed) this.names.delete(name)
    for (const name of names.added) this.names.add(name)
    return { ...rest, saved: [...this.names] }
  }
}
