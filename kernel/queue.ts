import { randomUUID } from 'node:crypto'
import { reasonOf } from '../guest/reason.ts'
import { Cells } from './cells.ts'
import { badArgument, cellIdTaken, RlmError } from './errors.ts'
import type { Outcome } from './fold.ts'
import type { HostHooks } from './hooks.ts'
import { CellJob, type ExecuteOptions } from './job.ts'
import type { Notices } from './notices.ts'
import { onAbort } from './on-abort.ts'

/** Longest cell text, in characters. */
const CELL_CAP = 8 << 20

/** The cells given to one engine, in the order of their submission; each settles exactly once, with the lines told since the last. */
export class CellQueue {
  readonly cells: Cells
  private readonly waiting: CellJob[] = []
  private readonly notices: Notices
  private readonly hooks: HostHooks
  private number: number

  /** `ended` fires when the engine is over; `submitted` is the number of cells before the first. */
  constructor(hooks: HostHooks, notices: Notices, ended: AbortSignal, submitted: number) {
    this.hooks = hooks
    this.notices = notices
    this.number = submitted
    this.cells = new Cells(ended, text => { notices.add(text) })
  }

  /** Number of the last submitted cell. */
  get count(): number { return this.number }
  get isEmpty(): boolean { return this.waiting.length === 0 }

  /** Puts a cell in its place; `cancel` is called when its caller's signal fires. Throws `BAD_ARGUMENT` or `CELL_ID_TAKEN`. */
  submit(code: string, options: ExecuteOptions, cancel: (job: CellJob) => void): CellJob {
    checkCell(code, options)
    const id = options.cellId ?? randomUUID()
    if (this.cells.hasId(id)) throw cellIdTaken(id)
    const job = new CellJob({ id, number: ++this.number, source: code }, options, this.hooks, text => { this.notices.add(text) })
    if (options.signal?.aborted === true) { job.settle(job.result({ type: 'aborted' }, [], [])); return job }
    if (options.signal !== undefined) {
      // A caller may use one signal for many cells: what is over listens no more.
      const off = onAbort(options.signal, () => { cancel(job) })
      job.promise.then(off, off)
    }
    this.cells.add(job)
    this.waiting.push(job)
    return job
  }

  next(): CellJob | undefined { return this.waiting.shift() }

  /** Takes a cell out that need not run any more. */
  withdraw(job: CellJob): void {
    const at = this.waiting.indexOf(job)
    if (at >= 0) this.waiting.splice(at, 1)
  }

  finish(job: CellJob, outcome: Outcome): void {
    this.cells.remove(job)
    const { late, notices } = this.cells.late.take()
    const result = job.result(outcome, [...this.notices.take(), ...notices], late)
    try {
      job.settle(this.hooks.onResult.call(result, job.cell))
    } catch (error) {
      job.settle({ ...result, notices: [...result.notices, reasonOf(error)] })
    }
  }

  /** A running cell whose guest is gone: what it had printed goes with the error, and whether its guest never even read it. */
  lose(job: CellJob, error: RlmError, unread: boolean): void {
    const partial = job.result({ type: 'aborted' }, this.notices.take(), this.cells.late.take().late)
    this.cells.remove(job)
    if (job.options.signal?.aborted === true) job.settle(partial)
    else job.reject(Object.assign(new RlmError(error.code, error.name, error.message, error), { partial, unread }))
  }

  /** Refuses every waiting cell. */
  drop(error: RlmError): void {
    for (const job of this.waiting.splice(0)) {
      this.cells.remove(job)
      job.reject(error)
    }
  }
}

function checkCell(code: unknown, { timeoutMs }: ExecuteOptions): void {
  if (typeof code !== 'string') throw badArgument(`the cell must be a string, got ${typeof code}`)
  if (code.length > CELL_CAP) throw badArgument(`the cell has ${code.length} characters; the limit is ${CELL_CAP}. Put data in a file and read it from the cell.`)
  if (timeoutMs !== undefined && !(timeoutMs > 0)) throw badArgument(`timeoutMs must be a positive number, got ${timeoutMs}`)
}
