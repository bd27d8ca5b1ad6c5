import { RlmError } from './errors.ts'

/** Starts that may fail within the window before the supervisor stops trying. */
const LIMIT = 3
const WINDOW_MS = 60_000

/** Counts guests that died before their first cell could run. */
export class RestartBudget {
  private failures: { readonly at: number; readonly cause: Error }[] = []
  private readonly now: () => number

  constructor(now: () => number = () => performance.now()) { this.now = now }

  /** Notes a failed start; answers whether another try is allowed. */
  failed(cause: Error): boolean {
    this.failures.push({ at: this.now(), cause })
    return this.exhausted() === null
  }

  succeeded(): void { this.failures = [] }

  /** The error to give while no try is allowed. */
  exhausted(): RlmError | null {
    const since = this.now() - WINDOW_MS
    this.failures = this.failures.filter(failure => failure.at > since)
    const [first] = this.failures
    const last = this.failures.at(-1)
    if (first === undefined || last === undefined || this.failures.length < LIMIT) return null
    const wait = Math.ceil((first.at - since) / 1000)
    return new RlmError('RESTART_LIMIT', 'RestartLimitError', `The notebook's guest ended ${LIMIT} times before a cell could run: ${last.cause.message}\nMend the cause and call again; the next try is made in ${wait} s or after a restart by hand.`, last.cause)
  }
}
