import { keptText } from '../guest/kept.ts'
import type { CellSource, Frame } from '../guest/protocol.ts'
import type { Caller } from './calls.ts'
import type { CellJob } from './job.ts'
import { LateOutput } from './late.ts'

/** Ended cells whose id and source the host still knows, for late output and late calls. */
const KNOWN_CELLS = 500

/** The cells of one engine by number: those not yet ended, and the last ones that were. */
export class Cells {
  readonly late = new LateOutput()
  /** Characters of output that no cell could be named for. */
  unattributed = 0
  private readonly open = new Map<string, CellJob>()
  private readonly ended = new Map<string, CellSource>()
  private readonly endSignal: AbortSignal
  private readonly notice: (text: string) => void

  constructor(endSignal: AbortSignal, notice: (text: string) => void) {
    this.endSignal = endSignal
    this.notice = notice
  }

  hasId(id: string): boolean { return [...this.open.values()].some(job => job.cell.id === id) }

  add(job: CellJob): void { this.open.set(keyOf(job), job) }

  remove(job: CellJob): void {
    if (!this.open.delete(keyOf(job)) || job.startedAt === null) return
    this.ended.set(keyOf(job), job.cell)
    for (const number of this.ended.keys()) {
      if (this.ended.size <= KNOWN_CELLS) break
      this.ended.delete(number)
    }
  }

  onOutput({ cell, channel, text }: Extract<Frame, { type: 'output' }>): void {
    const job = this.running(cell)
    const ended = this.ended.get(cell)
    if (job !== undefined) job.output(channel, text)
    else if (ended !== undefined) this.late.add(ended.id, channel, text)
    else this.unattributed += text.length
  }

  onEnds({ cell, ends }: Extract<Frame, { type: 'ends' }>): void {
    const job = this.running(cell)
    const ended = this.ended.get(cell)
    for (const channel of ['stdout', 'stderr'] as const) {
      const end = ends[channel]
      if (end === undefined) continue
      if (job !== undefined) job.output(channel, '', end)
      else if (ended !== undefined) this.late.add(ended.id, channel, `\n[${channel} of this cell was cut: ${end.total} characters in all${keptText(end)}]\n`)
    }
  }

  /** Who makes a call, as far as it is still known. */
  caller(cell: string): Caller {
    const job = this.running(cell)
    if (job !== undefined) return { cell: job.cell, running: true, signal: job.controller.signal, attach: image => { job.images.push(image) } }
    const known = this.ended.get(cell) ?? { id: `cell ${cell}`, number: Number(cell), source: '' }
    return { cell: known, running: false, signal: this.endSignal, attach: () => { this.notice(`An image of cell ${known.number} came after its end and was dropped.`) } }
  }

  private running(cell: string): CellJob | undefined {
    const job = this.open.get(cell)
    return job?.startedAt == null ? undefined : job
  }
}

/** How the channel names a cell: by number, since an id is the caller's and may be used again. */
export const keyOf = (job: CellJob): string => String(job.cell.number)
