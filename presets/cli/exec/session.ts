import type { CellResult, RestoreReport, RlmError } from '../../../kernel/index.ts'
import type { Notebook } from '../notebook.ts'
import { printable, settled } from '../show.ts'
import { unwedge } from '../wedged.ts'
import type { Line } from './lines.ts'
import { Queue, type Waiting } from './queue.ts'
import { type Id, readRequest, type Request, RequestError } from './request.ts'

type CellRequest = Extract<Request, { type: 'cell' }>
type OpRequest = Extract<Request, { type: 'op' }>
/** Writes one line of output; resolves when the reader may be sent more. */
export type Answer = (line: object) => Promise<void>

/** The lines of one `exec` run: answers each in its order, and cancels where it is asked to. */
export class ExecSession {
  /** Whether a line could not be taken: then the run as a whole was not what its writer meant. */
  refused = false
  readonly queue = new Queue()
  private readonly notebook: Notebook
  private readonly answer: Answer
  private readonly json: boolean
  /** Lines answered out of turn wait for the first line of output. */
  private readonly opened: Promise<void>
  private open!: () => void

  constructor(notebook: Notebook, answer: Answer, json: boolean) {
    this.notebook = notebook
    this.answer = answer
    this.json = json
    this.opened = new Promise(resolve => { this.open = resolve })
    notebook.ending.addEventListener('abort', () => { for (const entry of this.queue.all()) this.cancel(entry) })
  }

  /** Takes a line of input. What is wrong with it is told under its number; the lines around it are not touched. */
  take(line: Line): void {
    if ('problem' in line) { this.refuse(line.number, line.problem); return }
    try {
      this.accept(readRequest(line.text), line.number)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      this.refuse(line.number, error.message, error.id)
    }
  }

  /** Starts the guest and tells what it is. */
  async start(): Promise<void> {
    const { supervisor, preset } = this.notebook
    const restore = await supervisor.start()
    await this.answer({ event: 'ready', preset: preset.name, runtime: supervisor.current?.runtimeVersion ?? preset.runtime.name, restore })
    this.open()
  }

  /** Answers line by line until the input has ended. */
  async work(): Promise<void> {
    for (let entry = await this.queue.next(); entry !== undefined; entry = await this.queue.next()) {
      const { request } = entry
      if (request.type === 'cell') await this.finish(entry, await this.runCell(request, entry.controller.signal))
      else await this.finish(entry, await this.runOp(request))
    }
  }

  private accept(request: Request, number: number): void {
    if (request.type === 'abort') {
      const entry = this.queue.cell(request.cell)
      if (entry !== undefined) this.cancel(entry)
      void this.later({ id: request.id, op: 'abort', cell: request.cell, aborted: entry !== undefined })
    } else if (this.queue.isOpen(request.id)) this.refuse(number, `id ${JSON.stringify(request.id)} belongs to a line that is not answered yet; use another`, request.id)
    else this.queue.add(request)
  }

  private cancel(entry: Waiting): void {
    entry.controller.abort()
    // A cell that waits needs no turn to be answered.
    if (entry.request.type === 'cell' && this.queue.remove(entry)) void this.runCell(entry.request, entry.controller.signal).then(line => this.finish(entry, line))
  }

  private async finish(entry: Waiting, line: object): Promise<void> {
    this.queue.answered(entry)
    await this.later(line)
  }

  private async later(line: object): Promise<void> {
    await this.opened
    await this.answer(line)
  }

  private refuse(line: number, message: string, id?: Id): void {
    this.refused = true
    void this.later({ event: 'error', line, ...(id !== undefined && { id }), message })
  }

  private async runCell({ id, code, timeoutMs, json }: CellRequest, signal: AbortSignal): Promise<object> {
    const result = await settled(this.notebook.supervisor.execute(code, {
      ...this.notebook.cellOptions, ...(timeoutMs !== null && { timeoutMs }), cellId: String(id), json: json || this.json, signal,
      onStream: (text, stream) => { void this.later({ id, stream, text }) },
    }), String(id))
    if (result.error?.code === 'BAD_ARGUMENT') this.refused = true
    return { id, ...printable(result) } satisfies CellResult & { id: Id }
  }

  private async runOp({ id, op, generation }: OpRequest): Promise<object> {
    try {
      return { id, op, ...await this.report(op, generation) }
    } catch (error) {
      const { name, code, message } = error as RlmError
      return { id, op, error: { name, code, message } }
    }
  }

  private async report(op: OpRequest['op'], generation: number | null): Promise<object> {
    const { supervisor, snapshot } = this.notebook
    await unwedge(supervisor)
    if (op === 'names') return { names: await supervisor.listNamespaceNames() }
    if (snapshot === null) throw Object.assign(new Error('nothing is kept: start exec with --snapshot PATH'), { name: 'NoSnapshotError', code: 'NO_SNAPSHOT' })
    if (op === 'snapshot') return supervisor.snapshotState()
    await supervisor.start()
    return await supervisor.current?.restoreState(generation) ?? { generation: null } satisfies Partial<Record<keyof RestoreReport, null>>
  }
}
