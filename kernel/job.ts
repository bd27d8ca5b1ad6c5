import { setMaxListeners } from 'node:events'
import type { CellEnd, CellSource, Channel, ChannelEnd } from '../guest/protocol.ts'
import { reasonOf } from '../guest/reason.ts'
import { EMPTY, type Folding, type Outcome, toResult, withEnd, withText } from './fold.ts'
import { RlmError } from './errors.ts'
import type { HostHooks } from './hooks.ts'
import type { CellResult, Image } from './result.ts'

/** Characters of one channel the host keeps when no plugin cuts them: a flood must not exhaust the host. */
const CHANNEL_CAP = 16 << 20

export interface ExecuteOptions {
  /** Cancels the cell; the result's status is then `aborted`. */
  readonly signal?: AbortSignal
  /** The caller's name for the cell; must not be that of a cell still running. */
  readonly cellId?: string
  /** Milliseconds after which the cell is cancelled and reported as `CellTimeout`. */
  readonly timeoutMs?: number
  /** Characters kept of each channel and of the result, instead of the preset's. */
  readonly maxOutputChars?: number
  /** Asks for `value`, the result as plain JSON. */
  readonly json?: boolean
  readonly onStream?: (text: string, channel: Channel) => void
}

/** One submitted cell, from submission to its settled promise. Settles exactly once. */
export class CellJob {
  readonly cell: CellSource
  readonly options: ExecuteOptions
  readonly promise: Promise<CellResult>
  /** Fires for host work done on behalf of the cell. */
  readonly controller = new AbortController()
  readonly images: Image[] = []
  settled = false
  startedAt: number | null = null
  /** Why the guest was told to abort the cell, once it was. */
  cancelled: 'abort' | 'timeout' | null = null
  private folding: Folding = EMPTY
  private readonly seen = { stdout: 0, stderr: 0 }
  private readonly tasks: (() => void)[] = []
  private readonly hooks: HostHooks
  private readonly warn: (text: string) => void
  private resolve!: (result: CellResult) => void
  private rejectPromise!: (error: unknown) => void

  constructor(cell: CellSource, options: ExecuteOptions, hooks: HostHooks, warn: (text: string) => void) {
    // Many calls of one cell may listen at once; node would warn of a leak.
    setMaxListeners(0, this.controller.signal)
    this.cell = cell
    this.options = options
    this.hooks = hooks
    this.warn = warn
    this.promise = new Promise((resolve, reject) => { this.resolve = resolve; this.rejectPromise = reject })
    // Callers may come back to the promise later; until then a rejection has an owner here.
    this.promise.catch(() => {})
  }

  output(channel: Channel, text: string, end?: ChannelEnd): void {
    if (this.settled) return
    const cell = { id: this.cell.id, number: this.cell.number }
    let shown = text
    try {
      shown = this.hooks.onOutput.call({ cell, channel, text, seen: this.seen[channel], ...(end && { end }) }).text
    } catch (error) {
      this.warn(reasonOf(error))
    }
    this.seen[channel] += text.length
    if (end !== undefined) this.folding = withEnd(this.folding, channel, end)
    if (shown === '') return
    if (this.folding[channel].length >= CHANNEL_CAP) {
      this.folding = withEnd(this.folding, channel, { total: this.seen[channel], tail: '' })
      return
    }
    this.folding = withText(this.folding, channel, shown)
    this.stream(shown, channel)
  }

  /** The result so far under an outcome; `facts` come from the engine. */
  result(outcome: Outcome, notices: readonly string[], late: CellResult['late']): CellResult {
    const durationMs = this.startedAt === null ? 0 : performance.now() - this.startedAt
    return toResult(this.folding, outcome, { cell: { id: this.cell.id, number: this.cell.number }, durationMs, images: [...this.images], notices, late })
  }

  outcome(end: CellEnd): Outcome {
    if (this.options.signal?.aborted === true) return { type: 'aborted' }
    if (this.cancelled === 'timeout') return { type: 'timeout', afterMs: this.options.timeoutMs ?? 0, wedged: false }
    return { type: 'ended', end }
  }

  settle(result: CellResult): void {
    if (this.settled) return
    this.settled = true
    this.resolve(result)
    this.over(new RlmError('CELL_OVER', 'CellOverError', 'the cell is over'))
  }

  /** Calls `task` once the job has settled. */
  whenSettled(task: () => void): void { this.tasks.push(task) }

  reject(error: unknown): void {
    if (this.settled) return
    this.settled = true
    this.rejectPromise(error)
    this.over(error)
  }

  private over(reason: unknown): void {
    this.controller.abort(reason)
    for (const task of this.tasks) task()
  }

  private stream(text: string, channel: Channel): void {
    const failed = (error: unknown): void => { this.warn(`the caller's onStream failed: ${reasonOf(error)}`) }
    try {
      const answer: unknown = this.options.onStream?.(text, channel)
      // Nobody waits for an asynchronous one, but its failure must not end the host.
      if (answer instanceof Promise) answer.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
