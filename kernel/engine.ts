import { randomBytes } from 'node:crypto'
import type { CellEnd, Frame, NameEntry, RestoreReport, SnapshotReport } from '../guest/protocol.ts'
import { field, reasonOf } from '../guest/reason.ts'
import { type Assembly, assemble, listPlugins } from './assemble.ts'
import { answerCall } from './calls.ts'
import { endChildrenOf } from './cell-children.ts'
import { keyOf } from './cells.ts'
import type { EngineState } from './engine-state.ts'
import { EngineBusyError, engineDead, guestDied, RlmError, startFailed } from './errors.ts'
import type { GuestProcess } from './guest-process.ts'
import { startGuest } from './guest-start.ts'
import type { CellJob, ExecuteOptions } from './job.ts'
import { endKept, type Kept } from './kept.ts'
import { Notices } from './notices.ts'
import { type CheckedOptions, checkOptions, type EngineOptions } from './options.ts'
import type { EngineProcess } from './processes.ts'
import { CellQueue } from './queue.ts'
import type { CellResult } from './result.ts'
import { openScratch, removeScratch, sweepOnce } from './scratch.ts'
import { StateAsks } from './state-asks.ts'
import { activeTimer, within } from './timer.ts'

/** Time limits of dispose, in milliseconds: the plugins' last work, and the guest's own exit. */
const DISPOSE_WORK_MS = 2_000
const EXIT_MS = 1_000

/** One guest's life: starts it, runs cells in the order they were submitted, and always knows what happened. */
export class EngineManager {
  /** The mark that every process a cell starts carries in its environment. */
  readonly processTag = randomBytes(8).toString('hex')
  /** The host methods of every plugin. */
  readonly methods: Assembly['methods']
  private readonly options: EngineOptions
  private readonly checked: CheckedOptions
  private readonly assembly: Assembly
  private readonly kept: Kept
  private readonly asks: StateAsks
  private readonly notices = new Notices()
  private readonly queue: CellQueue
  private readonly ended = new AbortController()
  private readonly disposeTasks: (() => Promise<void>)[] = []
  private readonly touchedTasks: (() => void)[] = []
  private state: EngineState = { at: 'new' }
  private guest: GuestProcess | null = null
  private starting: Promise<void> | null = null
  private disposing: Promise<void> | null = null
  private scratch: string | null = null
  private cleared: Promise<void> | null = null
  private version = ''

  constructor(options: EngineOptions) {
    this.options = options
    this.checked = checkOptions(options)
    this.kept = options.kept ?? new Map<string, unknown>()
    const notice = (text: string): void => { this.notice(text) }
    this.assembly = assemble(listPlugins(options.preset, options.plugins ?? [], options.options ?? {}), {
      ...this.checked, notice, signal: this.ended.signal, kept: this.kept,
      save: () => this.asks.save(), names: () => this.asks.names(),
      onDispose: task => { this.disposeTasks.push(task) }, onTouched: task => { this.touchedTasks.push(task) },
    })
    this.methods = this.assembly.methods
    this.asks = new StateAsks(command => this.guest?.link.send(command) ?? false, this.assembly.hooks, notice)
    this.queue = new CellQueue(this.assembly.hooks, this.notices, this.ended.signal, (options.firstCell ?? 1) - 1)
  }

  /** True while the engine can take calls. */
  get isRunning(): boolean { return this.deadError() === null && this.state.at !== 'new' }
  /** True when a cell keeps the guest busy in code that cannot be interrupted. */
  get isWedged(): boolean { return this.state.at === 'wedged' }
  /** Number of the last submitted cell. */
  get cellCount(): number { return this.queue.count }
  get guestPid(): number | null { return this.guest?.pid ?? null }
  /** The runtime and its version, known once the guest is ready. */
  get runtimeVersion(): string { return this.version }
  /** What came in and was no cell's output: characters without a cell, lines that were no frames, raw bytes on stdout and stderr. */
  get strays(): { readonly unattributed: number; readonly rejectedLines: number; readonly rawBytes: number } {
    return { unattributed: this.queue.cells.unattributed, rejectedLines: this.guest?.link.rejected ?? 0, rawBytes: this.guest?.rawBytes ?? 0 }
  }

  /** Starts the guest; a call does so by itself. Rejects with `START_FAILED` or `RUNTIME_MISSING`. */
  start(): Promise<void> {
    const dead = this.deadError()
    return dead === null ? this.starting ??= this.startOnce() : Promise.reject(dead)
  }

  /** Runs a cell after those submitted before it. The slot is claimed before this returns. */
  execute(code: string, options: ExecuteOptions = {}): Promise<CellResult> {
    try {
      return this.submit(code, options).promise
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Brings saved values back, the latest generation unless one is named; null when there is no snapshot. */
  async restoreState(generation: number | null = null): Promise<RestoreReport | null> {
    await this.answering()
    return this.asks.restore(generation)
  }

  /** Saves what was touched, at the next cell boundary. */
  async snapshotState(): Promise<SnapshotReport> {
    await this.answering()
    return this.asks.save()
  }

  /** The namespace as names, types and sizes. */
  async listNamespaceNames(): Promise<readonly NameEntry[]> {
    await this.answering()
    return this.asks.names()
  }

  /** Ends the guest and what it started, at once. */
  kill(): void { this.die(engineDead('killed')) }

  /** Lets plugins finish (a last save), then ends the guest. Takes at most five seconds; may be called again. */
  dispose(): Promise<void> {
    // A map that was handed in outlives this engine; its owner ends what is in it.
    const kept = this.options.kept === undefined ? endKept(this.kept) : Promise.resolve()
    return this.disposing ??= Promise.all([this.disposeOnce(), kept]).then(() => {})
  }

  /** Once the engine has ended: what the guest or a cell started and could not be ended; empty as a rule. */
  remains(): Promise<readonly EngineProcess[]> { return this.guest?.remains() ?? Promise.resolve([]) }

  /** A line for the next result. */
  notice(text: string): void { this.notices.add(text) }

  private submit(code: string, options: ExecuteOptions): CellJob {
    const dead = this.deadError()
    if (dead !== null) throw dead
    const job = this.queue.submit(code, options, aborted => { this.cancel(aborted, 'abort') })
    this.pump()
    return job
  }

  /** Moves on: each state knows what the next job needs. */
  private pump(): void {
    const { state } = this
    switch (state.at) {
      case 'new':
        if (!this.queue.isEmpty) this.start().catch(() => {})
        return
      case 'starting': case 'running': return
      case 'ready': this.begin(state.guest, this.queue.next()); return
      case 'wedged':
        if (!state.probing && !this.queue.isEmpty) this.probe(state)
        return
      case 'disposing': case 'dead': this.queue.drop(state.error)
    }
  }

  private begin(guest: GuestProcess, job: CellJob | undefined): void {
    if (job === undefined) return
    this.state = { at: 'running', guest, job }
    job.startedAt = performance.now()
    const { timeoutMs, json, maxOutputChars } = job.options
    guest.link.send({ type: 'run', cell: job.cell, json: json === true, maxOutput: maxOutputChars ?? null })
    if (timeoutMs !== undefined) job.whenSettled(activeTimer(timeoutMs, () => { this.cancel(job, 'timeout') }))
  }

  private cancel(job: CellJob, why: 'abort' | 'timeout'): void {
    if (job.settled || job.cancelled !== null) return
    job.cancelled = why
    job.controller.abort(new RlmError('CELL_CANCELLED', 'CellCancelledError', 'the cell was cancelled'))
    const { state } = this
    if (state.at !== 'running' || state.job !== job) {
      this.queue.withdraw(job)
      this.queue.finish(job, { type: 'aborted' })
      return
    }
    state.guest.link.send({ type: 'abort', cell: keyOf(job) })
    endChildrenOf(job, this.processTag, this.checked.abortGraceMs)
    job.whenSettled(activeTimer(this.checked.abortGraceMs, () => { this.wedge(state.guest, job) }))
  }

  private wedge(guest: GuestProcess, job: CellJob): void {
    if (job.settled || this.state.at !== 'running' || this.state.job !== job) return
    this.state = { at: 'wedged', guest, job, probing: false }
    this.queue.finish(job, job.cancelled === 'timeout' ? { type: 'timeout', afterMs: job.options.timeoutMs ?? 0, wedged: true } : { type: 'aborted' })
    this.pump()
  }

  /** Asks a wedged guest for a sign of life; without one every waiting call is refused. */
  private probe(state: Extract<EngineState, { at: 'wedged' }>): void {
    const probing: EngineState = { ...state, probing: true }
    this.state = probing
    const off = activeTimer(this.checked.pingTimeoutMs, () => {
      if (this.state !== probing) return
      this.state = { ...state, probing: false }
      this.queue.drop(new EngineBusyError(`cell ${state.job.cell.number}`))
    })
    this.asks.ping().then(() => {
      off()
      if (this.state !== probing) return
      this.state = { at: 'ready', guest: state.guest }
      this.pump()
    }, off)
  }

  /** A question needs a guest that answers: a wedged one is asked for a sign of life first. Rejects with `ENGINE_BUSY`. */
  private async answering(): Promise<void> {
    await this.start()
    const { state } = this
    if (state.at !== 'wedged') return
    await new Promise<void>((resolve, reject) => {
      const off = activeTimer(this.checked.pingTimeoutMs, () => { reject(new EngineBusyError(`cell ${state.job.cell.number}`)) })
      this.asks.ping().then(resolve, reject).finally(off)
    })
  }

  private onFrame(frame: Frame): void {
    switch (frame.type) {
      case 'output': this.queue.cells.onOutput(frame); return
      case 'ends': this.queue.cells.onEnds(frame); return
      case 'done': case 'threw': case 'aborted': this.onEnd(frame); return
      case 'call': void answerCall(frame, this.queue.cells.caller(frame.cell), this.assembly).then(({ text }) => this.guest?.link.sendText(text)); return
      case 'pong': case 'names': case 'saved': case 'restored': case 'refused': this.asks.answered(frame); return
      case 'notice': this.notice(frame.text); return
      case 'unattributed': this.queue.cells.unattributed += frame.chars; return
      case 'touched': for (const task of this.touchedTasks) task(); return
      case 'fatal': this.notice(`The guest reports an internal error: ${frame.error.name}: ${frame.error.message}`); return
      case 'ready': case 'batch': case 'part': return
    }
  }

  private onEnd(end: CellEnd): void {
    const { state } = this
    if ((state.at !== 'running' && state.at !== 'wedged') || keyOf(state.job) !== end.cell) return
    this.state = { at: 'ready', guest: state.guest }
    if (!state.job.settled) this.queue.finish(state.job, state.job.outcome(end))
    this.pump()
  }

  private async startOnce(): Promise<void> {
    this.state = { at: 'starting' }
    const { cwd, env, statePath, startTimeoutMs } = this.checked
    const scratch = this.scratch = openScratch()
    const check = (): void => { if (this.state.at !== 'starting') throw this.deadError() ?? engineDead('killed while starting') }
    try {
      const { guest, ready } = await startGuest({
        runtime: this.options.preset.runtime, assembly: this.assembly, cwd, env, timeoutMs: startTimeoutMs, check,
        tag: this.processTag,
        boot: { firstCell: this.queue.count, state: statePath === null ? null : { path: statePath }, scratch },
        onSpawned: guest => { this.guest = guest },
        events: { onFrame: frame => { this.onFrame(frame) }, onDeath: (how, tail) => { this.die(guestDied(how, tail)) } },
      })
      check()
      this.version = ready.version
      for (const note of ready.notes) this.notice(note)
      sweepOnce()
      this.state = { at: 'ready', guest }
      this.pump()
    } catch (error) {
      const failure = typeof field(error, 'code') === 'string' ? error as RlmError : startFailed(reasonOf(error), error)
      if (this.state.at === 'starting') this.die(failure)
      throw failure
    }
  }

  private deadError(): RlmError | null {
    return this.state.at === 'dead' || this.state.at === 'disposing' ? this.state.error : null
  }

  /** The end of the engine, whatever the cause: every pending and every later call rejects. */
  private die(error: RlmError): void {
    if (this.state.at === 'dead') return
    const before = this.state
    // A later call learns that the engine is gone; the calls that were pending learn how.
    const later = error.code === 'GUEST_DIED' ? engineDead(error.message.split('\n')[0] ?? error.message, error) : error
    this.state = { at: 'dead', error: later }
    this.guest?.kill()
    this.cleared = this.remains().then(() => this.scratch === null ? undefined : removeScratch(this.scratch))
    this.ended.abort(later)
    if (before.at === 'running') this.queue.lose(before.job, error, before.guest.link.unread?.type === 'run')
    this.queue.drop(later)
    this.asks.rejectAll(error)
  }

  private async disposeOnce(): Promise<void> {
    const { state } = this
    if (state.at === 'dead') { await this.cleared; return }
    const error = engineDead('disposed')
    if (state.at === 'running') {
      state.guest.link.send({ type: 'abort', cell: keyOf(state.job) })
      this.queue.lose(state.job, error, false)
    }
    this.state = { at: 'disposing', error }
    this.queue.drop(error)
    if (state.at === 'ready' || state.at === 'running') {
      await within(DISPOSE_WORK_MS, Promise.allSettled(this.disposeTasks.map(task => task())))
      state.guest.link.send({ type: 'stop' })
      await state.guest.gone(EXIT_MS)
    }
    this.die(error)
    await this.guest?.gone(EXIT_MS)
    await this.cleared
  }
}
