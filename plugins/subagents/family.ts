import { join } from 'node:path'
import type { Host, TokenUsage } from '../../kernel/plugin.ts'
import { type Admission, admit } from './admission.ts'
import { Asked, withAsked } from './asked.ts'
import type { Ending } from './child/outcome.ts'
import type { Handover } from './handover.ts'
import { problem } from './limits.ts'
import { findChild } from './naming.ts'
import { type Household, Nursery } from './nursery.ts'
import type { Place } from './place.ts'
import { RecordFolder } from './records/folder.ts'
import { identify, type Identity, liveness, type ProcessTable, systemProcesses } from './records/identity.ts'
import { locked } from './records/lock.ts'
import type { ChildRecord } from './records/record.ts'
import { type ChildView, seenStatus } from './records/status.ts'
import { recordsOf, totalsOf, type TreeNode, TreeReader, type TreeTotals } from './records/tree.ts'
import { removeChild } from './removal.ts'
import type { Settings } from './settings.ts'
import { type Spent, Spending } from './spend.ts'
import { Waits } from './waits.ts'

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
  private readonly spending: Spending
  private readonly asked: Asked
  private host: Host | null = null
  private turn: Promise<unknown> = Promise.resolve()
  private readonly waits = new Waits(this)
  private outliving = false

  constructor(place: Place, settings: Settings, table: ProcessTable = systemProcesses()) {
    this.place = place
    this.settings = settings
    this.table = table
    this.folder = new RecordFolder(recordsOf(place.base, place.session), id => this.nursery.get(id)?.record)
    this.root = place.root === place.session ? this.folder : new RecordFolder(recordsOf(place.base, place.root))
    this.reader = new TreeReader(place.base, record => this.view(record).status, { session: place.session, folder: this.folder })
    this.spending = new Spending(this.folder)
    this.asked = new Asked(this.folder)
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
  totals(): TreeTotals {
    const { base, root } = this.place
    const { tokenBudget, costBudget } = this.settings.limits
    const nodes = this.reader.read(root)
    return tokenBudget === 0 && costBudget === 0 ? totalsOf(nodes) : withAsked(totalsOf(nodes), base, root, nodes)
  }

  /** A plain model call was paid for. */
  paid(usage: TokenUsage): void {
    this.spending.add(usage)
    this.asked.add(usage)
  }

  /** What the tree below this session has used since this was asked last; undefined when it has used nothing. */
  takeSpent(): Spent | undefined { return this.spending.take(this.tree()) }

  /** Ends a live child; takes one that has ended off the list. Doing it twice is no error. */
  async remove(key: string): Promise<ChildView> {
    const child = this.find(key)
    return removeChild(this, child, this.nursery.get(child.record.id))
  }

  /** Resolves when one or all of the children have ended; with what is known when the time is over or the signal fires. */
  async wait(keys: readonly string[], any: boolean, timeoutMs: number, signal: AbortSignal): Promise<ChildView[]> {
    return this.waits.wait(keys.map(key => this.find(key).record.id), any, timeoutMs, signal)
  }

  /** Whether a cell waits for this child, and so need not be told of its end. */
  isAwaited(id: string): boolean { return this.waits.isAwaited(id) }

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

  current(id: string): ChildView {
    const live = this.nursery.get(id)
    return live === undefined ? this.find(id) : this.view(live.record)
  }

  /** Whether this process looks after a child. */
  isOurs(id: string): boolean { return this.nursery.get(id) !== undefined }

  /** Whether the process that looks after a child lives. */
  hasOwner({ owner }: ChildRecord): boolean { return liveness(owner, this.table) === 'alive' }

  private view(record: ChildRecord): ChildView {
    const own = this.nursery.get(record.id)?.record
    return own === undefined ? { record, status: seenStatus(record, this.table) } : { record: own, status: own.status }
  }
}
