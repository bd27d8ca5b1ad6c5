import type { Serializer } from '../guest.ts'
import type { GuestHooks } from '../hooks.ts'
import { currentCell } from '../context.ts'
import { type Namespace, UNSET, type Unread } from '../namespace.ts'
import type { NameReason, RestoreReport } from '../protocol.ts'
import { decodeValue, readerOf } from './encode.ts'
import { StateError, valueHeld } from './errors.ts'
import type { ValueRecord } from './format.ts'
import { type Generation, generation, latest, type Saved } from './history.ts'
import type { Log, Opened } from './log.ts'
import type { Marker } from './marker.ts'
import { isOfRuntime, type Origin } from './origins.ts'
import { decodeOrigin, IMPORT, loadOrigin, type Loader, type Reimports } from './reimport.ts'
import { messageOf, sha256 } from './safe.ts'

interface RestorerParts {
  readonly namespace: Namespace
  readonly hooks: GuestHooks
  readonly serializers: readonly Serializer[]
  readonly runtime: string
  readonly path: string
  readonly log: Log
  readonly opened: Opened
  readonly marker: Marker
  readonly imports: { readonly loader: Loader }
  readonly reimports: Reimports
  readonly clean?: (<T>(work: () => T) => T) | undefined
}

interface Outcome { restored: string[]; deferred: string[]; held: NameReason[]; failed: NameReason[]; lost: NameReason[]; notes: string[] }

/** Brings one generation back, value by value: what cannot be read is held, and nothing else is kept from coming back. */
export class Restorer {
  private readonly parts: RestorerParts
  constructor(parts: RestorerParts) { this.parts = parts }

  /** The generation asked for, or the last one that can be told; null when there is none at all. */
  find(wanted: number | null): Generation | null {
    const { history } = this.parts.opened
    if (wanted !== null) {
      const found = generation(history, wanted)
      if (found === undefined) throw new StateError('STATE_NO_GENERATION', `Generation ${wanted} is not in ${this.parts.path}; it holds ${history.commits.map(commit => commit.generation).join(', ') || 'none'}.`)
      return found
    }
    for (const commit of [...history.commits].reverse()) {
      const found = generation(history, commit.generation)
      if (found !== undefined) return found
    }
    if (latest(history) === 0) return null
    throw new StateError('STATE_UNREADABLE', `No generation in ${this.parts.path} is complete. The files are left as they are.`)
  }

  async bring(found: Generation, together: (names: readonly string[]) => void): Promise<RestoreReport> {
    const outcome: Outcome = { restored: [], deferred: [], held: [], failed: [], lost: [], notes: [...this.parts.opened.notes] }
    for (const [saved, names] of byValue(found)) {
      together(names)
      if (saved.record.codec === IMPORT) await this.imported(saved, names, outcome)
      else this.one(found, saved, names, outcome)
      for (const [name, reason] of saved.record.losses ?? []) if (names.includes(name)) outcome.lost.push({ name, reason: `saved with loss: ${reason}` })
    }
    for (const [name, reason] of found.lost) outcome.lost.push({ name, reason })
    return { generation: found.number, savedAt: found.at, ...outcome }
  }

  private one(found: Generation, saved: Saved, names: readonly string[], outcome: Outcome): void {
    const { record } = saved
    const held = this.whyHeld(record)
    if (held !== undefined) return this.hold(saved, names, held, outcome)
    const entry = { name: names[0] as string, codec: record.codec, bytes: record.size, idleCells: Math.max(0, found.cell - Math.max(record.cell, found.used.get(record.id) ?? 0)) }
    if (this.parts.hooks.onRestore.call(entry) === 'defer') {
      this.leave(saved, names, () => this.later(record, names))
      outcome.deferred.push(...names)
      return
    }
    try {
      this.put(record, names, this.decode(record, this.parts.opened.payload(saved)))
      outcome.restored.push(...names)
    } catch (cause) { this.hold(saved, names, messageOf(cause), outcome) }
  }

  /** What belongs to the runtime is imported at once, anything else before the first cell that names it. */
  private async imported(saved: Saved, names: readonly string[], outcome: Outcome): Promise<void> {
    const { imports: { loader }, reimports, opened } = this.parts
    let origin: Origin
    try { origin = decodeOrigin(this.verified(saved.record, opened.payload(saved))) } catch (cause) { return this.hold(saved, names, messageOf(cause), outcome) }
    const atOnce = isOfRuntime(origin.specifier)
    try {
      if (atOnce) this.put(saved.record, names, await loadOrigin(origin, loader))
      else loader.check(origin.specifier)
    } catch (cause) {
      for (const name of names) outcome.held.push({ name, reason: messageOf(cause) })
      for (const name of names) reimports.add(name, origin)
      return
    }
    if (!atOnce) for (const name of names) reimports.add(name, origin);
    (atOnce ? outcome.restored : outcome.deferred).push(...names)
  }

  private whyHeld(record: ValueRecord): string | undefined {
    if (this.parts.marker.deadly.has(record.hash)) return 'reading it ended the process the last time; it is tried again the next time the notebook is opened after it was closed in order'
    if (readerOf(record.codec, this.parts.serializers) === undefined) return `it was written by ${record.made} as ${record.codec}, which ${this.parts.runtime} with this preset does not read`
    return undefined
  }

  private verified(record: ValueRecord, bytes: Buffer | undefined): Buffer {
    if (bytes === undefined) throw new Error('its bytes are missing or damaged')
    if (sha256(bytes).toString('hex') !== record.hash) throw new Error('its bytes are damaged')
    return bytes
  }

  private decode(record: ValueRecord, given: Buffer | undefined): unknown {
    const bytes = this.verified(record, given)
    const reader = readerOf(record.codec, this.parts.serializers)
    if (reader === undefined) throw new Error(`nothing reads ${record.codec}`)
    const { marker, clean } = this.parts
    const decoded = (): unknown => decodeValue(bytes, record.codec, reader)
    return marker.during(record.hash, () => clean === undefined ? decoded() : clean(decoded))
  }

  private put(record: ValueRecord, names: readonly string[], value: unknown): void {
    for (const name of names) {
      const box = this.parts.namespace.box(name)
      if (box.owned) continue
      box.value = record.names.length === 1 ? value : (value as unknown[])[record.names.indexOf(name)]
      box.unread = null
      box.touched = 0
    }
  }

  /** Reads a deferred value for all names it belongs to; called by the first read of any of them. */
  private later(record: ValueRecord, names: readonly string[]): unknown {
    const { log, namespace } = this.parts
    const bytes = log.payload(record.id)
    let value: unknown
    try { value = this.decode(record, bytes) } catch (cause) { throw valueHeld(names[0] as string, messageOf(cause), cause) }
    currentCell()?.print('stderr', `[state] read ${names.join(', ')} back from disk (${sizeText(record.size)})\n`)
    const waiting = names.filter(name => namespace.box(name).unread !== null)
    this.put(record, waiting, value)
    return value
  }

  private hold(saved: Saved, names: readonly string[], reason: string, outcome: Outcome): void {
    for (const name of names) outcome.held.push({ name, reason })
    this.leave(saved, names, name => { throw valueHeld(name, reason) })
  }

  private leave(saved: Saved, names: readonly string[], load: (name: string) => unknown): void {
    for (const name of names) {
      const box = this.parts.namespace.box(name)
      if (box.owned) continue
      const unread: Unread = {
        load: () => {
          const value = load(name)
          return saved.record.names.length === 1 ? value : (value as unknown[])[saved.record.names.indexOf(name)]
        },
      }
      box.value = UNSET
      box.unread = unread
      box.touched = 0
    }
  }
}

function byValue(found: Generation): Map<Saved, string[]> {
  const values = new Map<Saved, string[]>()
  for (const [name, { saved }] of found.entries) {
    const names = values.get(saved)
    if (names === undefined) values.set(saved, [name])
    else names.push(name)
  }
  return values
}

function sizeText(bytes: number): string { return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB` }
