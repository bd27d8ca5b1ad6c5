import { clock } from './safe.ts'

/** Pieces of work are this long, with a pause in between for whatever else there is to do. */
const PIECE_MS = 2
const PAUSE_MS = 8
const START_MS = 20
/** All of it is done again after this pause, which doubles each time: a timer that touches no name may have changed something. */
const FIRST_REST_MS = 1_000
const LAST_REST_MS = 60_000
/** And the pause is at least so many times as long as the work took. */
const REST_SHARE = 20

const { max, min } = Math
const { setTimeout: later, clearTimeout: never } = globalThis

interface Work {
  /** Begins from the front; false when there is nothing to do. */
  start(again: boolean): boolean
  /** Works until then; true when all of it is done. */
  piece(until: number): boolean
}

/** Does work in pieces while nothing else happens, again and again, ever more seldom. */
export class IdleLook {
  private readonly work: Work
  private timer: ReturnType<typeof later> | null = null
  private rest = FIRST_REST_MS
  private took = 0

  constructor(work: Work) { this.work = work }

  /** Something happened: rests are short again. */
  wake(): void { this.rest = FIRST_REST_MS }

  start(): void { this.begin(false) }

  stop(): void {
    if (this.timer !== null) never(this.timer)
    this.timer = null
  }

  private begin(again: boolean): void {
    this.stop()
    this.took = 0
    if (this.work.start(again)) this.after(START_MS, () => { this.piece() })
  }

  private piece(): void {
    const from = clock()
    const isDone = this.work.piece(from + PIECE_MS)
    this.took += clock() - from
    if (!isDone) return this.after(PAUSE_MS, () => { this.piece() })
    const pause = max(this.rest, REST_SHARE * this.took)
    this.rest = min(LAST_REST_MS, 2 * this.rest)
    this.after(pause, () => { this.begin(true) })
  }

  private after(ms: number, work: () => void): void {
    this.timer = later(work, ms)
    this.timer.unref()
  }
}
