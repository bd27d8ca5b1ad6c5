import { type Namespace, UNSET } from '../namespace.ts'
import { clock, SafeMap, SafeSet } from './safe.ts'
import { isWhole, type Trace, traceOf, unchanged } from './trace.ts'

/** Names that nobody touched are looked at for this long at each save. */
const GLANCE_MS = 0.1
/** The same when code ran that may hold objects of its own. */
const LOOK_MS = 8
/** After a save the names that it did not get to are looked at in pieces this long, in between what else there is to do. */
const PIECE_MS = 1
const PAUSE_MS = 20
/** The clock is asked once in so many names. */
const STRIDE = 16

const { setTimeout: later, clearTimeout: never } = globalThis

/** Looks at saved names that nobody touched: a timer or a callback may hold their objects and change them. */
export class Watch {
  private readonly namespace: Namespace
  /** What each object was when it was saved; looked at in turn. */
  private readonly traces = new SafeMap<string, Trace>()
  private turn = this.traces.entries()
  /** How many of them were not looked at since the last save. */
  private left = 0
  private timer: ReturnType<typeof later> | null = null
  /** Names whose saved value may be older than the live one. */
  readonly stale = new SafeSet<string>()

  constructor(namespace: Namespace) { this.namespace = namespace }

  /** A name was saved with this value. */
  saved(name: string, value: unknown): void {
    this.stale.delete(name)
    if (typeof value === 'object' && value !== null) this.traces.set(name, traceOf(value))
  }

  /** A name is about to be saved again: its trace would only keep the value it had alive. */
  drop(name: string): void { this.traces.delete(name) }

  leave(name: string): void {
    this.drop(name)
    this.stale.delete(name)
  }

  /** Names whose value is another than when it was saved; what could not be looked at counts as stale once code ran that may hold it. */
  changed(dirty: ReadonlySet<string>, heldElsewhere: boolean): string[] {
    this.stop()
    this.left = this.traces.size
    const changed = this.look(heldElsewhere ? LOOK_MS : GLANCE_MS, dirty, name => { if (heldElsewhere) this.stale.add(name) })
    if (heldElsewhere && this.left > 0) for (const name of this.notLookedAt()) this.stale.add(name)
    for (const name of dirty) this.stale.delete(name)
    return changed
  }

  /** Goes on with what the last save did not get to; a name that was changed counts as touched, so that it is saved soon. */
  lookOn(): void {
    if (this.left === 0) return
    this.timer = later(() => {
      for (const name of this.look(PIECE_MS, NONE, () => {})) this.namespace.box(name).mark()
      this.lookOn()
    }, PAUSE_MS)
    this.timer.unref()
  }

  stop(): void {
    if (this.timer !== null) never(this.timer)
    this.timer = null
  }

  /** Looks at names in turn for a while; `partly` is told of those that were only sampled. */
  private look(ms: number, except: ReadonlySet<string>, partly: (name: string) => void): string[] {
    const until = clock() + ms
    const changed: string[] = []
    for (let looked = 0; this.left > 0 && (looked % STRIDE !== 0 || looked === 0 || clock() < until); this.left--, looked++) {
      const next = this.nextInTurn()
      if (next === undefined) break
      const [name, trace] = next
      const value = this.namespace.boxes.get(name)?.value ?? UNSET
      if (except.has(name) || value === UNSET) continue
      if (!unchanged(value, trace)) changed.push(name)
      else if (!isWhole(trace)) partly(name)
    }
    return changed
  }

  /** Round and round: an iterator of a map goes on rightly when names come and go. */
  private nextInTurn(): [string, Trace] | undefined {
    const next = this.turn.next()
    if (next.done !== true) return next.value
    this.turn = this.traces.entries()
    return this.turn.next().value
  }

  private *notLookedAt(): Generator<string> {
    for (let i = this.left; i > 0; i--) {
      const next = this.nextInTurn()
      if (next !== undefined) yield next[0]
    }
  }
}

const NONE: ReadonlySet<string> = new SafeSet()
