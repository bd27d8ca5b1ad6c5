import { fingerprint, fingerprintNow } from './fingerprint.ts'
import { clock } from './safe.ts'
import type { Survey } from './survey.ts'
import { isWhole, type Trace, traceOf, unchanged } from './trace.ts'

/** What one saved name was when it was saved. */
export class Watched {
  readonly name: string
  /** The round of doubt in which it was last known to be what is saved. */
  round = 0
  /** About how many milliseconds it takes to look at all of it. */
  cost: number
  private readonly trace: Trace
  /** Of a value too large for a trace of all of it. Undefined: not taken at the moment of the save, so that no later look can tell. */
  private print: string | undefined

  constructor(name: string, value: unknown, cost: number) {
    this.name = name
    this.cost = cost
    this.trace = traceOf(value)
  }

  /** Whether a look can tell that nothing changed. */
  get isSure(): boolean { return isWhole(this.trace) || this.print !== undefined }
  /** Whether a look at all of it takes a while. */
  get isLarge(): boolean { return !isWhole(this.trace) }

  /** Takes the fingerprint of what was just saved. */
  fix(value: unknown): void {
    const from = clock()
    this.print = fingerprintNow(value)
    this.cost = clock() - from
  }

  /** A look at all of a small value, at samples of a large one. */
  seemsSame(value: unknown): boolean { return unchanged(value, this.trace) }

  /** A look at all of a large value, in pieces. */
  *isSame(value: unknown): Generator<void, boolean> {
    const print = yield* fingerprint(value)
    return print === this.print
  }
}

/** About how long a look at a value takes, by its survey: a step for each object, and one for some bytes. */
export const costOf = ({ objects, bytes }: Survey): number => objects * 0.0005 + bytes * 0.000_001
