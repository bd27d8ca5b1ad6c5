import type { NameChanges, NameReason, SavedFrame } from '../protocol.ts'
import type { Group } from './dirty.ts'
import type { Generation, Saved } from './history.ts'
import type { NewValue } from './log.ts'
import { Places } from './places.ts'
import { SafeMap } from './safe.ts'

/** A value ready to be written, with the names it is for. */
export interface Ready {
  readonly group: Group
  readonly value: NewValue
  /** What stands on disk for the same names. */
  readonly before: Saved | undefined
  /** Whether that is what would be written. */
  same: boolean
}

/** What one commit wrote. */
export interface Written {
  readonly ready: readonly Ready[]
  readonly ids: readonly number[]
  readonly gone: readonly string[]
  readonly lost: readonly NameReason[]
  readonly used: readonly number[]
}

/** What stands on disk: where each name of the current generation is, and what is known of those that could not be kept. */
export class Standing {
  readonly places: Places
  /** Names whose value could not be kept, with the reason. */
  readonly lost = new SafeMap<string, string>()
  /** Names whose value was kept in part. */
  readonly lossy = new SafeMap<string, string>()
  /** The cell at which each value was last known to be in use. */
  readonly uses = new SafeMap<number, number>()
  generation = 0
  /** Names that were forgotten, with the last generation they are gone from: what stands there is theirs no more. */
  private readonly forgotten = new SafeMap<string, number>()
  private readonly values: ReadonlyMap<number, Saved>

  constructor(values: ReadonlyMap<number, Saved>) {
    this.values = values
    this.places = new Places(id => values.get(id)?.record.size ?? 0)
  }

  /** The saved value that these names, and no others, stand in. */
  valueOf(names: readonly string[]): Saved | undefined {
    if (names.some(name => this.forgotten.has(name))) return undefined
    const places = names.map(name => this.places.get(name))
    const saved = places[0] === undefined ? undefined : this.values.get(places[0].id)
    return saved?.record.names.length === names.length && places.every((place, part) => place?.id === saved.record.id && place.part === part) ? saved : undefined
  }

  /** A kind and size for a name that is not read. */
  about(name: string): { readonly type: string; readonly size: number } | undefined {
    const place = this.places.get(name)
    const record = place === undefined ? undefined : this.values.get(place.id)?.record
    return record === undefined || place === undefined ? undefined : { type: record.types[place.part] ?? 'object', size: record.size }
  }

  forget(name: string, upTo: number): void {
    this.known(name)
    this.forgotten.set(name, upTo)
  }

  /** A name has a value, or none: what was said of it holds no longer. */
  private known(name: string): void {
    this.lost.delete(name)
    this.lossy.delete(name)
  }

  wrote(generation: number, cell: number, { ready, ids, gone, lost, used }: Written): void {
    this.generation = generation
    for (const id of [...used, ...ids]) this.uses.set(id, cell)
    for (const name of gone) {
      this.places.delete(name)
      this.known(name)
    }
    ready.forEach(({ value: { record } }, index) => {
      record.names.forEach((name, part) => {
        this.places.set(name, { id: ids[index] as number, part })
        this.known(name)
        if (generation > (this.forgotten.get(name) ?? generation)) this.forgotten.delete(name)
      })
      for (const [name, reason] of record.losses ?? []) this.lossy.set(name, reason)
    })
    for (const { name, reason } of lost) {
      this.places.delete(name)
      this.lossy.delete(name)
      this.lost.set(name, reason)
    }
  }

  /** A generation was brought back; null for the empty one. */
  brought(found: Generation | null): void {
    this.places.clear()
    this.lost.clear()
    this.lossy.clear()
    this.forgotten.clear()
    this.generation = found?.number ?? 0
    for (const [name, { saved: { record }, part }] of found?.entries ?? []) {
      this.places.set(name, { id: record.id, part })
      for (const [lossy, reason] of record.losses ?? []) if (lossy === name) this.lossy.set(name, reason)
    }
    for (const [name, reason] of found?.lost ?? []) this.lost.set(name, reason)
    for (const [id, cell] of found?.used ?? []) this.uses.set(id, cell)
  }

  report(written: readonly string[], bytes: number, stale: NameChanges): SavedFrame {
    return { generation: this.generation, names: this.places.changes(), written, bytes, stale, failed: reasons(this.lost), lossy: reasons(this.lossy) }
  }
}

const reasons = (from: ReadonlyMap<string, string>): NameReason[] => [...from].map(([name, reason]) => ({ name, reason }))
