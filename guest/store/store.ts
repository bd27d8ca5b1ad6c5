import { type Box, UNSET } from '../namespace.ts'
import type { NameReason, RestoreReport, SavedFrame } from '../protocol.ts'
import { compacted } from './compact.ts'
import { Dirty, type Work } from './dirty.ts'
import type { Disk } from './disk.ts'
import { StateError, valueLost } from './errors.ts'
import { Files } from './files.ts'
import type { Store, StoreParts } from './parts.ts'
import { Lease } from './lease.ts'
import type { Machine } from './lock.ts'
import { Log, type Opened } from './log.ts'
import { Marker } from './marker.ts'
import { compareWithStanding, Encoder } from './ready.ts'
import { Reimports } from './reimport.ts'
import { Restorer } from './restore.ts'
import { messageOf, now } from './safe.ts'
import { type Ready, Standing } from './standing.ts'
import { ToldLosses } from './told-losses.ts'

type Parts = StoreParts & { readonly path: string; readonly disk: Disk; readonly machine: Machine }
/** That a value is still in use is written down once in so many cells. */
const USE_CELLS = 4
/** Less than this is not worth a compaction. */
const LEAST_GARBAGE = 2 << 20

export class DiskStore implements Store {
  private readonly parts: Parts
  private readonly dirty: Dirty
  private readonly log: Log
  private readonly standing: Standing
  private readonly encoder: Encoder
  private readonly lease: Lease
  private readonly reimports: Reimports
  private readonly told: ToldLosses
  /** What the folder holds; null when that was read before the last save. */
  private opened: Opened | null = null
  private marker: Marker | null = null
  /** Cells counted over all restarts. */
  private cells = 0
  /** Saving before what is on disk was brought back would put an almost empty notebook on top of it. */
  private mayWrite = false
  private busy: Promise<unknown> = Promise.resolve()
  private closed = false
  /** Names whose bytes went with the files, until a save has named them. */
  private missing: NameReason[] = []
  /** Forgotten bytes are still in the log. */
  private purge = false
  /** A generation is on its way to the disk. */
  private writing = false
  /** Bytes in the log that no name stands in, roughly. */
  private grown = 0

  constructor(parts: Parts) {
    this.parts = parts
    this.dirty = new Dirty(parts.namespace, parts.imports.origins, parts.clean)
    this.log = new Log(parts.path, parts.disk, parts.runtime)
    this.standing = new Standing(this.log.values)
    this.encoder = new Encoder({ ...parts, standing: this.standing })
    this.lease = new Lease(parts)
    this.reimports = new Reimports(parts.namespace, parts.imports.loader)
    this.told = new ToldLosses(new Files(parts.path, parts.disk), () => this.lease.ours)
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

  cellEnded(): void {
    this.dirty.cellEnded()
    this.told.delivered()
  }

  prepare(source: string): Promise<unknown> | undefined { return this.reimports.prepare(source) }

  about(name: string): { readonly type: string; readonly size: number } | undefined { return this.standing.about(name) }

  close(): void {
    if (this.closed) return
    this.closed = true
    this.dirty.close()
    this.marker?.end()
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
    if (this.marker !== null) return this.opened ??= this.log.reopened()
    this.lease.take()
    const opened = this.opened = this.log.open(this.lease.ours)
    this.purge = this.log.forgotten.length > 0
    this.marker = new Marker(this.parts.disk, this.parts.path)
    this.mayWrite = this.log.latest === 0 && opened.notes.length === 0
    for (const note of opened.notes) this.parts.notice?.(note)
    return opened
  }

  forgotten(name: string): void {
    this.open()
    const upTo = this.log.latest + (this.writing ? 1 : 0)
    this.standing.forget(name, upTo)
    this.told.over([name])
    // A name of a notebook that was not brought back is not the one on disk.
    if (!this.mayWrite || !this.lease.ours || (!this.standing.places.has(name) && !this.writing && this.log.latest === 0)) return
    // Its bytes go with the next compaction, also when it cannot be written down now.
    this.purge = true
    this.log.forget(name, upTo)
  }

  save(): Promise<SavedFrame> { return this.inTurn(() => this.saveNow()) }

  private async saveNow(): Promise<SavedFrame> {
    this.open()
    if (!this.mayWrite) throw new StateError('STATE_NOT_RESTORED', `${this.parts.path} holds generation ${this.log.latest} of an earlier session, which was not restored. Nothing is saved over it: call restoreState() first, or choose another folder.`)
    this.lease.need()
    if (this.log.vanished) this.startAnew()
    const work = this.dirty.take()
    this.writing = true
    try { return await this.saveWork(work) } finally { this.writing = false }
  }

  /** The files went away under a running notebook: all that is in memory is saved again, and what was not is named. */
  private startAnew(): void {
    const { namespace, notice, path } = this.parts
    notice?.(`The state in ${path} was removed while this notebook uses it. What is in memory is saved anew.`)
    for (const name of namespace.names()) if (namespace.box(name).unread !== null) this.missing.push({ name, reason: 'was not in memory when its file was removed' })
    this.log.startAnew()
    this.standing.brought(null)
    this.dirty.again(namespace.names())
  }

  private async saveWork(work: Work): Promise<SavedFrame> {
    this.parts.namespace.tick += 1
    const { places, lost: alreadyLost, uses } = this.standing
    const { ready, failed } = this.encoder.all(work.groups)
    // Before the first pause: a cell that runs meanwhile may change what is being written.
    const stale = this.dirty.watchOver(ready.map(({ group }) => group))
    failed.push(...this.missing)
    const gone = work.gone.filter(name => places.has(name) || alreadyLost.has(name))
    for (const each of ready) await compareWithStanding(each)
    const changed = ready.filter(({ same }) => !same)
    const lost = failed.filter(({ name, reason }) => alreadyLost.get(name) !== reason)
    const used = ready.flatMap(({ same, before }) => same && before !== undefined ? before.record.id : []).filter(id => this.cells - (uses.get(id) ?? 0) >= USE_CELLS)
    let bytes = 0
    if (changed.length > 0 || gone.length > 0 || lost.length > 0 || used.length > 0) {
      try { bytes = await this.write(changed, gone, lost, used) } catch (cause) {
        this.dirty.failed(work)
        throw new StateError('STATE_WRITE_FAILED', `Saving to ${this.parts.path} failed: ${messageOf(cause)}. Generation ${this.standing.generation} stands; the next save tries again.`, cause)
      }
      this.grown += bytes
    }
    this.missing = []
    await this.tidy()
    this.dirty.lookOn()
    return this.standing.report(work.groups.flatMap(({ names }) => names).filter(name => places.has(name)), bytes, stale)
  }

  private async write(ready: readonly Ready[], gone: readonly string[], lost: readonly NameReason[], used: readonly number[]): Promise<number> {
    const generation = this.log.latest + 1
    const { ids, bytes } = await this.log.append(ready.map(({ value }) => value), ids => ({
      type: 'commit', generation, parent: this.standing.generation, at: now(), cell: this.cells, values: ids, used, gone, lost: lost.map(({ name, reason }) => [name, reason] as const),
    }))
    this.opened = null
    this.standing.wrote(generation, this.cells, { ready, ids, gone, lost, used })
    this.told.over([...ready.flatMap(({ value }) => value.record.names), ...gone])
    return bytes
  }

  /** Compacts when it is worth it; a failure costs nothing but the room. */
  private async tidy(): Promise<void> {
    if (!this.purge && this.grown < Math.max(LEAST_GARBAGE, 2 * this.standing.places.bytes)) return
    try {
      await this.log.replace(compacted(this.log, this.parts.runtime))
      this.purge = false
      this.measure()
    } catch (cause) { this.parts.notice?.(`Compacting the state in ${this.parts.path} failed: ${messageOf(cause)}`) }
  }

  private measure(): void {
    this.grown = 0
    for (const [id, { record }] of this.log.values) if (!this.standing.places.holds(id)) this.grown += record.size
  }

  restore(generation: number | null): Promise<RestoreReport | null> { return this.inTurn(() => this.restoreNow(generation)) }

  private async restoreNow(wanted: number | null): Promise<RestoreReport | null> {
    const opened = this.open()
    const restorer = new Restorer({ ...this.parts, log: this.log, opened, marker: this.marker as Marker, reimports: this.reimports })
    // Generation 0 is the empty one every line begins with: the next commit starts a line of its own.
    const found = wanted === 0 ? null : restorer.find(wanted)
    const brought = found === null ? null : await restorer.bring(found, names => this.dirty.together(names))
    const report = brought === null ? null : { ...brought, lost: this.told.tell(brought.lost) }
    this.standing.brought(found)
    for (const [name, reason] of found?.lost ?? []) this.keepLost(name, reason)
    // What this session bound meanwhile stays, and belongs to the next generation.
    this.dirty.again(this.parts.namespace.names().filter(name => !this.standing.places.has(name)))
    this.cells = Math.max(this.cells, found?.cell ?? 0)
    this.mayWrite = true
    this.measure()
    this.opened = null
    this.marker?.close()
    return report
  }

  private keepLost(name: string, reason: string): void {
    const box: Box = this.parts.namespace.box(name)
    if (box.value === UNSET && !box.owned) box.unread = { gone: true, load: () => { throw valueLost(name, reason) } }
  }
}
