import type { StateLimits } from '../guest.ts'
import { type Box, UNSET } from '../namespace.ts'
import type { NameReason, RestoreReport, SavedFrame } from '../protocol.ts'
import { compacted } from './compact.ts'
import { Dirty, type Group, type Work } from './dirty.ts'
import type { Disk } from './disk.ts'
import { encodeValue } from './encode.ts'
import { StateError, valueLost } from './errors.ts'
import type { Saved } from './history.ts'
import type { Store, StoreParts } from './index.ts'
import { Lease } from './lease.ts'
import type { Machine } from './lock.ts'
import { BLOB_BYTES, Log, type NewValue, type Opened } from './log.ts'
import { Marker } from './marker.ts'
import { Places } from './places.ts'
import { Restorer } from './restore.ts'
import { messageOf, now, SafeMap, sha256, sha256Later } from './safe.ts'

type Parts = StoreParts & { readonly path: string; readonly disk: Disk; readonly machine: Machine }
/** That a value is still in use is written down once in so many cells. */
const USE_CELLS = 4
/** Less than this is not worth a compaction. */
const LEAST_GARBAGE = 2 << 20
const UNLIMITED: StateLimits = { maxValueBytes: 256 << 20, maxTotalBytes: 2 ** 31 }

/** A value ready to be written, with the names it is for. */
interface Ready {
  readonly group: Group
  readonly value: NewValue
  /** What stands on disk for the same names. */
  readonly before: Saved | undefined
  /** Whether that is what would be written. */
  same: boolean
}

export class DiskStore implements Store {
  private readonly parts: Parts
  private readonly dirty: Dirty
  private readonly log: Log
  private opened: Opened | null = null
  private marker: Marker | null = null
  /** Where each name of the current generation is. */
  private readonly places = new Places(id => this.log.values.get(id)?.record.size ?? 0)
  /** Names whose value could not be kept, with the reason. */
  private readonly lost = new SafeMap<string, string>()
  private readonly lossy = new SafeMap<string, string>()
  /** The cell at which each value was last known to be in use. */
  private readonly uses = new SafeMap<number, number>()
  private current = 0
  /** Cells counted over all restarts. */
  private cells = 0
  /** Saving before what is on disk was brought back would put an almost empty notebook on top of it. */
  private mayWrite = false
  private readonly lease: Lease
  private busy: Promise<unknown> = Promise.resolve()
  private closed = false
  /** Forgotten bytes are still in the log. */
  private purge = false
  /** A generation is on its way to the disk. */
  private writing = false
  /** Bytes in the log that no name stands in, roughly. */
  private grown = 0

  constructor(parts: Parts) {
    this.parts = parts
    this.dirty = new Dirty(parts.namespace)
    this.log = new Log(parts.path, parts.disk, parts.runtime)
    this.lease = new Lease(parts)
    parts.namespace.onTouch = box => {
      this.dirty.touch(box)
      if (!box.bound && box.unread === null && !box.owned) this.forgotten(box.name)
      parts.onTouch?.(box)
    }
  }

  cell(): void {
    this.cells += 1
    this.dirty.cell(this.cells)
    this.parts.namespace.tick += 1
  }

  about(name: string): { readonly type: string; readonly size: number } | undefined {
    const place = this.places.get(name)
    const record = place === undefined ? undefined : this.log.values.get(place.id)?.record
    return record === undefined || place === undefined ? undefined : { type: record.types[place.part] ?? 'object', size: record.size }
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    this.marker?.close()
    this.log.close()
    this.lease.end()
  }

  /** One save or restore at a time, in order. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.busy
    const next = (async () => {
      try { await before } catch { /* told to its own caller */ }
      if (this.closed) throw new StateError('STATE_CLOSED', 'The notebook has ended; its state can no longer be saved or restored.')
      return await work()
    })()
    this.busy = next
    return next
  }

  private open(): Opened {
    if (this.opened !== null) return this.opened
    this.lease.take()
    this.opened = this.log.open(this.lease.ours)
    this.purge = this.log.forgotten.length > 0
    this.marker = new Marker(this.parts.disk, this.parts.path)
    this.mayWrite = this.log.latest === 0 && this.opened.notes.length === 0
    for (const note of this.opened.notes) this.parts.notice?.(note)
    return this.opened
  }

  forgotten(name: string): void {
    this.lost.delete(name)
    this.lossy.delete(name)
    this.open()
    // A name of a notebook that was not brought back is not the one on disk.
    if (!this.mayWrite || !this.lease.ours || (!this.places.has(name) && !this.writing && this.log.latest === 0)) return
    this.log.forget(name, this.log.latest + (this.writing ? 1 : 0))
    this.purge = true
  }

  save(): Promise<SavedFrame> { return this.inTurn(() => this.saveNow()) }

  private async saveNow(): Promise<SavedFrame> {
    this.open()
    if (!this.mayWrite) throw new StateError('STATE_NOT_RESTORED', `${this.parts.path} holds generation ${this.log.latest} of an earlier session, which was not restored. Nothing is saved over it: call restoreState() first, or choose another folder.`)
    this.lease.need()
    const work = this.dirty.take()
    this.writing = true
    try { return await this.saveWork(work) } finally { this.writing = false }
  }

  private async saveWork(work: Work): Promise<SavedFrame> {
    this.parts.namespace.tick += 1
    const failed: NameReason[] = []
    const ready: Ready[] = []
    for (const group of work.groups) this.prepare(group, ready, failed)
    const gone = work.gone.filter(name => this.places.has(name) || this.lost.has(name))
    for (const each of ready) await this.compare(each)
    const changed = ready.filter(({ same }) => !same)
    const lost = failed.filter(({ name, reason }) => this.lost.get(name) !== reason)
    const used = ready.flatMap(({ same, before }) => same && before !== undefined ? before.record.id : []).filter(id => this.cells - (this.uses.get(id) ?? 0) >= USE_CELLS)
    let bytes = 0
    if (changed.length > 0 || gone.length > 0 || lost.length > 0 || used.length > 0) {
      try { bytes = await this.write(changed, gone, lost, used) } catch (cause) {
        this.dirty.again([...work.groups.flatMap(({ names }) => names), ...work.gone])
        throw new StateError('STATE_WRITE_FAILED', `Saving to ${this.parts.path} failed: ${messageOf(cause)}. Generation ${this.current} stands; the next save tries again.`, cause)
      }
      this.grown += bytes
    }
    for (const { group } of ready) this.dirty.saved(group)
    await this.tidy()
    return this.report(work.groups.flatMap(({ names }) => names).filter(name => this.places.has(name)), bytes)
  }

  /** Serialises one group; a group that fails as one may do so for one name only, so that each is then tried alone. */
  private prepare(group: Group, ready: Ready[], failed: NameReason[]): void {
    try { ready.push(this.encode(group)) } catch (cause) {
      if (group.names.length === 1) failed.push({ name: group.names[0] as string, reason: messageOf(cause) })
      else group.names.forEach((name, part) => { this.prepare({ ...group, names: [name], values: [group.values[part]] }, ready, failed) })
    }
  }

  private encode(group: Group): Ready {
    const { names, values, seen } = group
    const limits = this.parts.limits ?? UNLIMITED
    if (seen.bytes > 2 * limits.maxValueBytes) throw tooLarge(seen.bytes, limits)
    const name = names.length === 1 ? names[0] as string : ''
    const { bytes, codec, losses } = encodeValue(names.length === 1 ? values[0] : values, name, seen, this.parts.serializers)
    if (names.length === 1 && losses.some(loss => loss.startsWith(`${name} is `) && loss.endsWith('it is left out'))) throw new Error((losses[0] as string).slice(name.length + 1).replace(/: it is left out$/, ' and cannot be saved'))
    if (bytes.length > limits.maxValueBytes) throw tooLarge(bytes.length, limits)
    if (this.places.weightWith(names, bytes.length) > limits.maxTotalBytes) throw new Error(`with it the state would exceed maxTotalBytes (${(limits.maxTotalBytes / MIB).toFixed(1)} MiB)`)
    const told = lossesByName(names, losses)
    const types = values.map(typeOf)
    const record: NewValue['record'] = { type: 'value', names, codec, made: this.parts.runtime, size: bytes.length, types, cell: group.cell, ...(told.length > 0 && { losses: told }) }
    const hash = bytes.length < BLOB_BYTES ? sha256(bytes).toString('hex') : undefined
    return { group, before: this.standing(names), same: false, value: { record, bytes, hash } }
  }

  /** The saved value that these names, and no others, stand in. */
  private standing(names: readonly string[]): Saved | undefined {
    const places = names.map(name => this.places.get(name))
    const saved = places[0] === undefined ? undefined : this.log.values.get(places[0].id)
    return saved?.record.names.length === names.length && places.every((place, part) => place?.id === saved.record.id && place.part === part) ? saved : undefined
  }

  /** Most values that were read were not changed; their hash tells, and nothing has to be written. */
  private async compare(ready: Ready): Promise<void> {
    const { before, value } = ready
    if (before?.record.size !== value.bytes.length || before.record.codec !== value.record.codec) return
    value.hash ??= await sha256Later(value.bytes)
    ready.same = before.record.hash === value.hash
  }

  private async write(ready: readonly Ready[], gone: readonly string[], lost: readonly NameReason[], used: readonly number[]): Promise<number> {
    const values = ready.map(({ value }) => value)
    const generation = this.log.latest + 1
    const { ids, bytes } = await this.log.append(values, ids => ({
      type: 'commit', generation, parent: this.current, at: now(), cell: this.cells, values: ids, used, gone, lost: lost.map(({ name, reason }) => [name, reason] as const),
    }))
    this.current = generation
    for (const id of [...used, ...ids]) this.uses.set(id, this.cells)
    for (const name of gone) {
      this.places.delete(name)
      this.lost.delete(name)
      this.lossy.delete(name)
    }
    values.forEach(({ record }, index) => {
      record.names.forEach((name, part) => {
        this.places.set(name, { id: ids[index] as number, part })
        this.lost.delete(name)
        this.lossy.delete(name)
      })
      for (const [name, reason] of record.losses ?? []) this.lossy.set(name, reason)
    })
    for (const { name, reason } of lost) {
      this.places.delete(name)
      this.lossy.delete(name)
      this.lost.set(name, reason)
    }
    return bytes
  }

  /** Compacts when it is worth it; a failure costs nothing but the room. */
  private async tidy(): Promise<void> {
    if (!this.purge && this.grown < Math.max(LEAST_GARBAGE, 2 * this.places.bytes)) return
    try {
      await this.log.replace(compacted(this.log, this.parts.runtime))
      this.purge = false
      this.measure()
    } catch (cause) { this.parts.notice?.(`Compacting the state in ${this.parts.path} failed: ${messageOf(cause)}`) }
  }

  private measure(): void {
    this.grown = 0
    for (const [id, { record }] of this.log.values) if (!this.places.holds(id)) this.grown += record.size
  }

  private report(written: readonly string[], bytes: number): SavedFrame {
    return {
      generation: this.current, names: this.places.changes(), written, bytes, stale: [...this.dirty.stale],
      failed: [...this.lost].map(([name, reason]) => ({ name, reason })), lossy: [...this.lossy].map(([name, reason]) => ({ name, reason })),
    }
  }

  restore(generation: number | null): Promise<RestoreReport | null> { return this.inTurn(() => Promise.resolve(this.restoreNow(generation))) }

  private restoreNow(wanted: number | null): RestoreReport | null {
    const opened = this.open()
    const restorer = new Restorer({ ...this.parts, log: this.log, opened, marker: this.marker as Marker })
    // Generation 0 is the empty one every line begins with: the next commit starts a line of its own.
    const found = wanted === 0 ? null : restorer.find(wanted)
    if (found === null) {
      this.mayWrite = true
      return null
    }
    this.places.clear()
    this.lost.clear()
    this.lossy.clear()
    const report = restorer.bring(found, names => this.dirty.together(names))
    for (const [name, entry] of found.entries) this.places.set(name, { id: entry.saved.record.id, part: entry.part })
    for (const [name, reason] of found.lost) this.keepLost(name, reason)
    for (const { record } of new Set([...found.entries.values()].map(({ saved }) => saved))) for (const [name, reason] of record.losses ?? []) if (found.entries.get(name)?.saved.record === record) this.lossy.set(name, reason)
    this.current = found.number
    this.cells = Math.max(this.cells, found.cell)
    for (const [id, cell] of found.used) this.uses.set(id, cell)
    this.mayWrite = true
    this.measure()
    this.opened = { ...opened, payload: saved => this.log.payload(saved.record.id) }
    this.marker?.close()
    return report
  }

  private keepLost(name: string, reason: string): void {
    this.lost.set(name, reason)
    const box: Box = this.parts.namespace.box(name)
    if (box.value === UNSET && !box.owned) box.unread = { gone: true, load: () => { throw valueLost(name, reason) } }
  }
}

const MIB = 1 << 20
const tooLarge = (bytes: number, { maxValueBytes }: StateLimits): Error => new Error(`${(bytes / MIB).toFixed(1)} MiB are more than maxValueBytes (${(maxValueBytes / MIB).toFixed(1)} MiB)`)

const typeOf = (value: unknown): string => value === null ? 'null' : typeof value

/** Says of each name of a value what is lost; a group's losses start with the place in its list. */
function lossesByName(names: readonly string[], losses: readonly string[]): [string, string][] {
  const byName = new SafeMap<string, string[]>()
  for (const loss of losses) {
    const place = /^\[(\d+)\]/.exec(loss)
    const name = names[names.length === 1 || place === null ? 0 : Number(place[1])] ?? ''
    byName.set(name, [...byName.get(name) ?? [], names.length === 1 ? loss : loss.replace(/^\[\d+\]/, name)])
  }
  return [...byName].map(([name, texts]) => [name, texts.length > 4 ? `${texts.slice(0, 3).join('; ')}; and ${texts.length - 3} more` : texts.join('; ')])
}
