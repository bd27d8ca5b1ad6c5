import type { NameChanges, SavedFrame, SnapshotReport } from '../guest/protocol.ts'

/** The names a state holds, and those that may be stale, kept on this side: only what changed crosses with each save. */
export class SavedNames {
  private readonly names = new Set<string>()
  private readonly stale = new Set<string>()

  /** The whole report, from what crossed. */
  report({ names, stale, ...rest }: SavedFrame): SnapshotReport {
    follow(this.names, names)
    follow(this.stale, stale)
    return { ...rest, saved: [...this.names], stale: [...this.stale] }
  }
}

function follow(known: Set<string>, { all, added, removed }: NameChanges): void {
  if (all) known.clear()
  for (const name of removed) known.delete(name)
  for (const name of added) known.add(name)
}
