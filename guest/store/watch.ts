import { entriesOfCells } from '../context.ts'
import { type Namespace, UNSET } from '../namespace.ts'
import type { NameChanges } from '../protocol.ts'
import { IdleLook } from './idle-look.ts'
import { clock, SafeMap } from './safe.ts'
import type { Survey } from './survey.ts'
import { Suspects } from './suspects.ts'
import { costOf, Watched } from './watched.ts'

/** Names that nobody touched are looked at for this long at each save. */
const GLANCE_MS = 0.2
/** The same when a touched name holds code that may hold objects of others. */
const LOOK_MS = 8
/** The same when no cell ran since the last save: nobody waits, and it may be the last one. */
const REST_MS = 250
/** What the fingerprint of a value just saved may take while somebody waits. */
const FIX_MS = 2
/** A look older than this says nothing: timers run without anybody hearing of it. */
const FRESH_MS = 5_000
/** A large value without a fingerprint is saved again for one when no cell ran for this long, and for so many times as long as a look at it takes. */
const QUIET_MS = 5_000
const QUIET_SHARE = 10
/** The clock is asked once in so many names. */
const STRIDE = 16
const { max } = Math

/** Runs work with the originals of the globals in place. */
type Clean = <T>(work: () => T) => T
interface Partly { readonly watched: Watched; readonly steps: Generator<void, boolean> }

/** Looks at saved names that nobody touched: a timer or a callback may hold their objects and change them. */
export class Watch {
  private readonly namespace: Namespace
  private readonly watched = new SafeMap<string, Watched>()
  /** Names are looked at in turn. */
  private turn = this.watched.values()
  /** How many are still to be looked at in this pass. */
  private left = 0
  /** The large value that is being looked at. */
  private partly: Partly | null = null
  private readonly suspects = new Suspects()
  private readonly idle: IdleLook
  private isRunning = false
  /** No cell ran since the last save. */
  private isQuiet = true
  private ranAt = clock()
  private doubtedAt = clock()
  private entries = 0
  /** Touched by this class alone, to be saved again with a fingerprint. */
  private readonly toFix = new SafeMap<string, true>()
  private isMarking = false

  constructor(namespace: Namespace, clean: Clean = work => work()) {
    this.namespace = namespace
    this.idle = new IdleLook({ start: again => this.startPass(again), piece: until => clean(() => this.piece(until)) })
  }

  /** A cell begins. */
  begin(): void {
    this.idle.stop()
    this.isRunning = true
    this.isQuiet = false
    this.toFix.clear()
  }

  /** The cell is over: what it may hold is looked at while nobody waits. */
  end(): void {
    if (!this.isRunning) return
    this.isRunning = false
    this.ran()
    this.idle.start()
  }

  /** Code of a cell ran. */
  ran(): void {
    if (this.isMarking || this.isRunning) return
    this.ranAt = clock()
    this.idle.wake()
    this.doubt()
  }

  private doubt(): void {
    this.doubtedAt = clock()
    this.partly = null
    this.suspects.doubt()
  }

  /** Listeners and callbacks that are wrapped say when they run. */
  private heed(): void {
    if (this.entries === entriesOfCells()) return
    this.entries = entriesOfCells()
    this.ran()
  }

  /** A name is to be saved with this value. Called before any other code runs: what is kept here is what is saved. */
  take(name: string, value: unknown, seen: Survey): void {
    if (typeof value !== 'object' || value === null) return
    const watched = new Watched(name, value, costOf(seen))
    if (watched.isLarge && (watched.cost <= (this.isQuiet ? REST_MS : FIX_MS) || this.toFix.has(name))) watched.fix(value)
    this.watched.set(name, watched)
    this.suspects.know(watched)
  }

  /** All names of a save were taken; answers what came to be stale, and what no longer is. */
  taken(): NameChanges {
    this.toFix.clear()
    this.isQuiet = true
    return this.suspects.changes()
  }

  /** The save that was taken last failed. */
  failed(): void { this.suspects.untold() }

  /** A name has no value any more, or is about to be saved again: its trace would only keep the value it had alive. */
  drop(name: string): void {
    const watched = this.watched.get(name)
    if (watched === undefined) return
    this.watched.delete(name)
    this.suspects.drop(watched)
    if (this.partly?.watched === watched) this.partly = null
  }

  /** Before a save: names whose value is another than when it was saved. */
  changed(dirty: ReadonlySet<string>, heldElsewhere: boolean): string[] {
    this.end()
    this.idle.stop()
    this.heed()
    if (this.isQuiet || clock() - this.doubtedAt > FRESH_MS) this.doubt()
    const until = clock() + (this.isQuiet ? REST_MS : heldElsewhere ? LOOK_MS : GLANCE_MS)
    const changed: string[] = []
    this.left = this.watched.size
    this.look(until, (watched, value) => {
      if (dirty.has(watched.name)) return
      if (!this.seemsSame(watched, value) || (watched.isLarge && watched.cost <= until - clock() && !this.isSameNow(watched, value))) changed[changed.length] = watched.name
    })
    return changed
  }

  /** Looks on at what a save did not get to; a name that was changed counts as touched, so that it is saved soon. */
  lookOn(): void { if (!this.isRunning) this.idle.start() }

  stop(): void { this.idle.stop() }

  private startPass(again: boolean): boolean {
    if (again) this.doubt()
    this.left = this.watched.size
    return this.left > 0
  }

  private piece(until: number): boolean {
    this.heed()
    if (this.partly !== null && !this.goOn(this.partly, until)) return false
    this.look(until, (watched, value) => {
      if (!this.seemsSame(watched, value)) return this.mark(watched)
      if (!watched.isLarge) return
      if (!watched.isSure) return this.fixLater(watched)
      this.goOn(this.partly = { watched, steps: watched.isSame(value) }, until)
    })
    return this.left === 0 && this.partly === null
  }

  /** Goes on with a large value; false when there is more to do. */
  private goOn({ watched, steps }: Partly, until: number): boolean {
    for (;;) {
      const step = steps.next()
      if (step.done === true) {
        this.partly = null
        if (step.value) this.suspects.know(watched)
        else this.mark(watched)
        return true
      }
      if (clock() >= until) return false
    }
  }

  /** A look at all of a small value, at samples of a large one. */
  private seemsSame(watched: Watched, value: unknown): boolean {
    if (!watched.seemsSame(value)) return false
    if (!watched.isLarge) this.suspects.know(watched)
    return true
  }

  /** A look at all of a large value, at once; without a fingerprint it counts as changed where there is time to save it again. */
  private isSameNow(watched: Watched, value: unknown): boolean {
    if (!watched.isSure) return !this.isQuiet
    for (const steps = watched.isSame(value); ;) {
      const step = steps.next()
      if (step.done !== true) continue
      if (step.value) this.suspects.know(watched)
      return step.value
    }
  }

  private fixLater(watched: Watched): void {
    if (clock() - this.ranAt < max(QUIET_MS, QUIET_SHARE * watched.cost)) return
    this.toFix.set(watched.name, true)
    this.mark(watched)
  }

  private mark({ name }: Watched): void {
    this.isMarking = true
    try { this.namespace.box(name).mark() } finally { this.isMarking = false }
  }

  /** Looks in turn at names that are not known to be as they were saved. */
  private look(until: number, at: (watched: Watched, value: unknown) => void): void {
    for (let looked = 0; this.left > 0 && this.partly === null && (looked % STRIDE !== 0 || looked === 0 || clock() < until); looked++) {
      this.left--
      const watched = this.nextInTurn()
      if (watched === undefined) return void (this.left = 0)
      const value = this.namespace.boxes.get(watched.name)?.value ?? UNSET
      if (value !== UNSET && !this.suspects.isKnown(watched)) at(watched, value)
      if (watched.isLarge) looked = STRIDE - 1
    }
  }

  /** Round and round: an iterator of a map goes on rightly when names come and go. */
  private nextInTurn(): Watched | undefined {
    const next = this.turn.next()
    if (next.done !== true) return next.value
    this.turn = this.watched.values()
    return this.turn.next().value
  }
}
