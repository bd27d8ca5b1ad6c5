import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Host } from '../../kernel/plugin.ts'
import { type Admission, admit } from './admission.ts'
import { endGroup } from './child/end.ts'
import type { Ending } from './child/outcome.ts'
import type { Handover } from './handover.ts'
import { problem } from './limits.ts'
import { findChild } from './naming.ts'
import { type Household, Nursery } from './nursery.ts'
import type { Place } from './place.ts'
import { RecordFolder } from './records/folder.ts'
import { identify, type Identity, liveness, type ProcessTable, systemProcesses } from './records/identity.ts'
import { locked } from './records/lock.ts'
import { type ChildRecord, isSettled, type SeenStatus } from './records/record.ts'
import { seenStatus } from './records/status.ts'
import { recordsOf, totalsOf, type TreeNode, TreeReader, type TreeTotals } from './records/tree.ts'
import type { Settings } from './settings.ts'

/** A child as a reader sees it now. */
export interface ChildView { readonly record: ChildRecord; readonly status: SeenStatus }

/** How often a child that another instance looks after is looked at. */
const FOREIGN_LOOK_MS = 200
/** An owner looks twice a second for who is to be stopped. */
const UNHEARD_MS = 1_500
/** Grace of children that end with their session, which as a whole has a few seconds. */
const SHUTDOWN_GRACE_MS = 1_200

/**
 * The children of one session in this process. It outlives the engines that ask for them: a guest that dies or a cell
 * that hangs is no reason to end a child. Memory holds the processes only; all else is read from disk.
 */
export class Family implements Household, AsyncDisposable {
  readonly place: Place
  readonly settings: Settings
  readonly folder: RecordFolder
  readonly self: Identity
  readonly table: ProcessTable
  private readonly nursery: Nursery
  private readonly root: RecordFolder
  private readonly reader: TreeReader
  private host: Host | null = null
  private turn: Promise<unknown> = Promise.resolve()
  private readonly waits = new Set<readonly string[]>()
  private outliving = false

  constructor(place: Place, settings: Settings, table: ProcessTable = systemProcesses()) {
    this.place = place
    this.settings = settings
    this.table = table
    this.folder = new RecordFolder(recordsOf(place.base, place.session), id => this.nursery.get(id)?.record)
    this.root = place.root === place.session ? this.folder : new RecordFolder(recordsOf(place.base, place.root))
    this.reader = new TreeReader(place.base, record => this.view(record).status, { session: place.session, folder: this.folder })
    this.self = identify(process.pid, table) ?? { pid: process.pid, start: '', boot: table.boot, host: table.host }
    this.nursery = new Nursery(this)
  }

  /** The engine that now speaks for this session: its agent and hooks start the next children. */
  attach(host: Host): void { this.host = host }

  speaker(): Host {
    if (this.host === null) throw problem('NO_ENGINE', 'no engine is attached to these children')
    return this.host
  }

  /** Writes a child's record and answers; the child may still have to wait for its turn. */
  async admit(wanted: Admission): Promise<ChildView> {
    const life = await admit(this, this.nursery, wanted)
    this.nursery.add(life)
    return this.view(life.record)
  }

  /** This session's children, oldest first; those that were taken off the list only when asked for. */
  list(all = false): ChildView[] {
    return this.folder.list().filter(record => all || record.deleted_at === undefined).map(record => this.view(record))
  }

  find(key: string): ChildView {
    const own = this.folder.read(key)
    const found = own === undefined ? findChild(key, this.list(true)) : this.view(own)
    if (found !== undefined) return found
    const names = this.list().map(child => child.record.name)
    throw problem('NO_CHILD', `there is no child '${key}' of this session; ${names.length === 0 ? 'it has none' : `it has ${names.slice(-20).join(', ')}`}`)
  }

  /** Children that wait or run and that this process looks after. */
  active(): ChildView[] { return this.nursery.live().map(life => this.view(life.record)) }

  /** The tree below this session, all depths, from disk. */
  tree(): TreeNode[] { return this.reader.read(this.place.session) }

  /** What the tree's limits are counted against, from its root on. */
  totals(): TreeTotals { return totalsOf(this.reader.read(this.place.root)) }

  /** Ends a live child; takes one that has ended off the list. Doing it twice is no error. */
  async remove(key: string): Promise<ChildView> {
    const { record, status } = this.find(key)
    const life = this.nursery.get(record.id)
    if (life !== undefined && life.record.finished_at === undefined) {
      const alive = await life.end({ reason: 'stopped', message: 'stopped by rlm.deleteSubagent' })
      if (alive.length > 0) throw problem('CHILD_ALIVE', `child '${record.name}' did not end: process ${alive.join(', ')} survived KILL. Delete it again to try again.`)
      return this.view(life.record)
    }
    if (status === 'unknown') throw problem('OTHER_HOST', `child '${record.name}' belongs to another machine (${record.owner.host}); delete it there`)
    if (!isSettled(status)) return this.askOwner(record)
    if (record.deleted_at === undefined) this.folder.write({ ...record, deleted_at: Date.now() })
    return this.find(record.id)
  }

  /** Resolves when one or all of the children have ended; with what is known when the time is over or the signal fires. */
  async wait(keys: readonly string[], any: boolean, timeoutMs: number, signal: AbortSignal): Promise<ChildView[]> {
    const until = timeoutMs > 0 ? Date.now() + timeoutMs : Infinity
    const ids = keys.map(key => this.find(key).record.id)
    this.waits.add(ids)
    try { return await this.ended(ids, any, until, signal) } finally { this.waits.delete(ids) }
  }

  /** Whether a cell waits for this child, and so need not be told of its end. */
  isAwaited(id: string): boolean { return [...this.waits].some(ids => ids.includes(id)) }

  private async ended(ids: readonly string[], any: boolean, until: number, signal: AbortSignal): Promise<ChildView[]> {
    for (;;) {
      const views = ids.map(id => this.current(id))
      const ended = views.filter(view => isSettled(view.status)).length
      if (ended === views.length || (any && ended > 0) || signal.aborted || Date.now() >= until) return views
      const foreign = views.some(view => !isSettled(view.status) && this.nursery.get(view.record.id) === undefined)
      await this.change(ids, Math.min(foreign ? FOREIGN_LOOK_MS : 60_000, until - Date.now()), signal)
    }
  }

  /** Calls back after each change of a record of this process's children; answers with the way to stop it. */
  onChange(listener: (record: ChildRecord) => void): () => void { return this.nursery.onChange(listener) }

  /** Ends every child this process looks after and answers with the names of those that had not ended. */
  endAll(ending: Ending = { reason: 'shutdown', message: 'stopped because the session that started it ended' }): Promise<string[]> {
    return this.nursery.endAll(ending, Math.min(this.settings.graceMs, SHUTDOWN_GRACE_MS))
  }

  /** The engine will be disposed while the process and the children go on: a reload, or a change of session. */
  outlive(): void { this.outliving = true }

  /** The session is over: its children end, unless they were told to outlive it. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.outliving) return
    await this.endAll()
    this.place.discard?.()
  }

  handoverFor(id: string, depth: number): Handover {
    const { base, root } = this.place
    return { version: 1, id, depth, base, root, limits: this.settings.limits, model: this.settings.model }
  }

  decide<T>(work: () => T): Promise<T> {
    const next = this.turn.then(() => {
      this.root.prepare()
      return locked(join(this.root.path, '.lock'), this.self, this.table, work)
    })
    this.turn = next.catch(() => {})
    return next
  }

  private current(id: string): ChildView {
    const live = this.nursery.get(id)
    return live === undefined ? this.find(id) : this.view(live.record)
  }

  private view(record: ChildRecord): ChildView {
    const own = this.nursery.get(record.id)?.record
    return own === undefined ? { record, status: seenStatus(record, this.table) } : { record: own, status: own.status }
  }

  /** Another instance of this process looks after it (before a reload): it is asked, because only the owner writes its end. */
  private async askOwner(record: ChildRecord): Promise<ChildView> {
    if (liveness(record.owner, this.table) === 'gone') return this.endLeftover(record)
    if (record.owner.pid !== process.pid) throw problem('OTHER_OWNER', `child '${record.name}' belongs to another session (process ${record.owner.pid}); delete it there`)
    const { stop } = this.folder.paths(record.id)
    writeFileSync(stop, '', { mode: 0o600 })
    const asked = Date.now()
    while (Date.now() < asked + this.settings.graceMs + 4_000 && !isSettled(this.find(record.id).status)) {
      if (existsSync(stop) && Date.now() > asked + UNHEARD_MS) {
        rmSync(stop, { force: true })
        throw problem('NO_OWNER', `nothing in this process looks after child '${record.name}' any more; its record says ${record.status}`)
      }
      await sleep(FOREIGN_LOOK_MS / 4)
    }
    return this.find(record.id)
  }

  /** Its owner died and it lives on: the start time in its record says that this is the very process. */
  private async endLeftover(record: ChildRecord): Promise<ChildView> {
    if (record.process !== undefined && liveness(record.process, this.table) === 'alive') await endGroup(record.process.pid, this.settings.graceMs)
    return this.find(record.id)
  }

  private change(ids: readonly string[], limitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer)
        stop()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, Math.max(1, limitMs))
      const stop = this.onChange(record => { if (record.finished_at !== undefined && ids.includes(record.id)) done() })
      signal.addEventListener('abort', done, { once: true })
    })
  }
}
