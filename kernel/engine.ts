import { randomBytes, randomUUID } from 'node:crypto'
import type { CellEnd, CellSource, Frame, NameEntry, RestoreReport, SnapshotReport } from '../guest/protocol.ts'
import { type Assembly, assemble, listPlugins } from './assemble.ts'
import { Asks } from './asks.ts'
import { answerCall, type Caller } from './calls.ts'
import { badArgument, cellIdTaken, EngineBusyError, engineDead, guestDied, RlmError, startFailed } from './errors.ts'
import type { Outcome } from './fold.ts'
import { GuestProcess } from './guest-process.ts'
import type { StateReport } from './hooks.ts'
import { CellJob, type ExecuteOptions } from './job.ts'
import { endKept, type Kept } from './kept.ts'
import { LateOutput } from './late.ts'
import { type CheckedOptions, checkOptions, type EngineOptions } from './options.ts'
import type { CellResult } from './result.ts'
import { endCell, endEngine, type EngineProcess } from './processes.ts'
import { activeTimer } from './timer.ts'
import { watch, type Watchdog } from './watchdog.ts'

/** Longest cell text, in characters. */
const CELL_CAP = 8 << 20
/** Ended cells whose id and source the host still knows, for late output and late calls. */
const KNOWN_CELLS = 500
/** Time limits of dispose: the plugins' last work, and the guest's own exit. */
const DISPOSE_WORK_MS = 2_000
const EXIT_MS = 1_000

type State =
  | { readonly at: 'new' }
  | { readonly at: 'starting' }
  | { readonly at: 'ready'; readonly guest: GuestProcess }
  | { readonly at: 'running'; readonly guest: GuestProcess; readonly job: CellJob }
  | { readonly at: 'wedged'; readonly guest: GuestProcess; readonly job: CellJob; readonly probing: boolean }
  | { readonly at: 'disposing'; readonly error: RlmError }
  | { readonly at: 'dead'; readonly error: RlmError }

/** One guest's life: starts it, runs cells in the order they were submitted, and always knows what happened. */
export class EngineManager {
  /** Characters of output that no cell could be named for. */
  unattributed = 0
  private readonly options: EngineOptions
  private readonly checked: CheckedOptions
  private readonly assembly: Assembly
  private readonly kept: Kept
  private readonly queue: CellJob[] = []
  private readonly asks = new Asks()
  private readonly late = new LateOutput()
  private readonly ended = new AbortController()
  private readonly notices: string[] = []
  private readonly known = new Map<string, CellSource>()
  private readonly jobs = new Map<string, CellJob>()
  private readonly disposeTasks: (() => Promise<void>)[] = []
  private readonly touchedTasks: (() => void)[] = []
  private readonly tag = randomBytes(8).toString('hex')
  private state: State = { at: 'new' }
  private guest: GuestProcess | null = null
  private starting: Promise<void> | null = null
  private cells: number
  private version = ''
  private disposing: Promise<void> | null = null
  private watchdog: Watchdog | null = null
  private swept: Promise<readonly EngineProcess[]> | null = null

  constructor(options: EngineOptions) {
    this.options = options
    this.checked = checkOptions(options)
    this.cells = (options.firstCell ?? 1) - 1
    this.kept = options.kept ?? new Map()
    const plugins = listPlugins(options.preset, options.plugins ?? [], options.options ?? {})
    this.assembly = assemble(plugins, {
      signal: this.ended.signal, cwd: this.checked.cwd, env: this.checked.env, statePath: this.checked.statePath, kept: this.kept,
      save: () => this.save(), names: () => this.listNamespaceNames(), notice: text => { this.notice(text) },
      onDispose: task => { this.disposeTasks.push(task) }, onTouched: task => { this.touchedTasks.push(task) },
    })
  }

  /** True while the engine can take calls. */
  get isRunning(): boolean { return this.state.at !== 'dead' && this.state.at !== 'disposing' && this.state.at !== 'new' }
  /** True when a cell keeps the guest busy in code that cannot be interrupted. */
  get isWedged(): boolean { return this.state.at === 'wedged' }
  get cellCount(): number { return this.cells }
  get guestPid(): number | null { return this.guest?.pid ?? null }
  /** The runtime and its version, known once the guest is ready. */
  get runtimeVersion(): string { return this.version }
  /** The mark that every process a cell starts carries in its environment. */
  get processTag(): string { return this.tag }
  get methods(): Assembly['methods'] { return this.assembly.methods }
  /** What arrived on the channel or the guest's own stdout and stderr and was not output of a cell. */
  get strays(): { readonly rejectedLines: number; readonly rawBytes: number } {
    return { rejectedLines: this.guest?.link.rejected ?? 0, rawBytes: this.guest?.rawBytes ?? 0 }
  }

  /** Starts the guest; a call does so by itself. Rejects with `START_FAILED` or `RUNTIME_MISSING`. */
  start(): Promise<void> {
    const dead = this.deadError()
    if (dead !== null) return Promise.reject(dead)
    return this.starting ??= this.startGuest()
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
    await this.start()
    const answer = await this.ask({ type: 'restore', generation })
    if (answer.type !== 'restored') return this.failedAsk('restore', answer)
    if (answer.report !== null) await this.tellState({ type: 'restore', report: answer.report })
    return answer.report
  }

  /** Saves what was touched, at the next cell boundary. */
  async snapshotState(): Promise<SnapshotReport> {
    await this.start()
    return this.save()
  }

  async listNamespaceNames(): Promise<readonly NameEntry[]> {
    await this.start()
    const answer = await this.ask({ type: 'names' })
    return answer.type === 'names' ? answer.names : []
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
  remains(): Promise<readonly EngineProcess[]> { return this.swept ?? Promise.resolve([]) }

  /** A line for the next result. */
  notice(text: string): void {
    if (!this.notices.includes(text)) this.notices.push(text)
  }

  private submit(code: string, options: ExecuteOptions): CellJob {
    const dead = this.deadError()
    if (dead !== null) throw dead
    if (typeof code !== 'string') throw badArgument(`the cell must be a string, got ${typeof code}`)
    if (code.length > CELL_CAP) throw badArgument(`the cell has ${code.length} characters; the limit is ${CELL_CAP}. Put data in a file and read it from the cell.`)
    if (options.timeoutMs !== undefined && !(options.timeoutMs > 0)) throw badArgument(`timeoutMs must be a positive number, got ${options.timeoutMs}`)
    const id = options.cellId ?? randomUUID()
    if ([...this.jobs.values()].some(job => job.cell.id === id)) throw cellIdTaken(id)
    const job = new CellJob({ id, number: ++this.cells, source: code }, options, this.assembly.hooks, text => { this.notice(text) })
    // Callers may come back to the promise later; until then a rejection has an owner here.
    job.promise.catch(() => {})
    if (options.signal?.aborted === true) { job.settle(job.result({ type: 'aborted' }, [], [])); return job }
    options.signal?.addEventListener('abort', () => { this.cancel(job, 'abort') }, { once: true })
    this.jobs.set(key(job), job)
    this.queue.push(job)
    this.pump()
    return job
  }

  /** Moves on: each state knows what the next job needs. */
  private pump(): void {
    const { state } = this
    switch (state.at) {
      case 'new':
        if (this.queue.length > 0) this.start().catch(() => {})
        return
      case 'starting': case 'running': return
      case 'ready': {
        const job = this.queue.shift()
        if (job !== undefined) this.begin(state.guest, job)
        return
      }
      case 'wedged':
        if (!state.probing && this.queue.length > 0) this.probe(state)
        return
      case 'disposing': case 'dead':
        for (const job of this.queue.splice(0)) this.drop(job, state.error)
    }
  }

  private begin(guest: GuestProcess, job: CellJob): void {
    this.state = { at: 'running', guest, job }
    job.startedAt = performance.now()
    this.remember(job.cell)
    const { timeoutMs, json, maxOutputChars } = job.options
    guest.link.send({ type: 'run', cell: job.cell, json: json === true, maxOutput: maxOutputChars ?? null })
    if (timeoutMs === undefined) return
    const off = activeTimer(timeoutMs, () => { this.cancel(job, 'timeout') })
    job.promise.then(off, off)
  }

  private cancel(job: CellJob, why: 'abort' | 'timeout'): void {
    if (job.settled || job.cancelled !== null) return
    job.cancelled = why
    job.controller.abort(new RlmError('CELL_CANCELLED', 'CellCancelledError', 'the cell was cancelled'))
    const { state } = this
    if (state.at !== 'running' || state.job !== job) {
      const at = this.queue.indexOf(job)
      if (at >= 0) this.queue.splice(at, 1)
      this.finish(job, { type: 'aborted' })
      return
    }
    state.guest.link.send({ type: 'abort', cell: key(job) })
    // From here, too: a guest that waits for a child in synchronous code cannot end it.
    endCell(this.tag, job.cell.number).catch(() => {})
    const off = activeTimer(this.checked.abortGraceMs, () => { this.wedge(state.guest, job) })
    job.promise.then(off, off)
  }

  private wedge(guest: GuestProcess, job: CellJob): void {
    if (job.settled || this.state.at !== 'running' || this.state.job !== job) return
    this.state = { at: 'wedged', guest, job, probing: false }
    this.finish(job, job.cancelled === 'timeout' ? { type: 'timeout', afterMs: job.options.timeoutMs ?? 0, wedged: true } : { type: 'aborted' })
    this.pump()
  }

  /** Asks a wedged guest for a sign of life; without one every waiting call is refused. */
  private probe(state: Extract<State, { at: 'wedged' }>): void {
    const probing: State = { ...state, probing: true }
    this.state = probing
    const off = activeTimer(this.checked.pingTimeoutMs, () => {
      if (this.state !== probing) return
      this.state = { ...state, probing: false }
      const error = new EngineBusyError(`cell ${state.job.cell.number}`)
      for (const job of this.queue.splice(0)) this.drop(job, error)
    })
    this.ask({ type: 'ping' }).then(() => {
      off()
      if (this.state !== probing) return
      this.state = { at: 'ready', guest: state.guest }
      this.pump()
    }, off)
  }

  private onFrame(frame: Frame): void {
    switch (frame.type) {
      case 'output': return this.onOutput(frame)
      case 'ends': return this.onEnds(frame)
      case 'done': case 'threw': case 'aborted': return this.onEnd(frame)
      case 'call': return this.onCall(frame)
      case 'pong': case 'names': case 'saved': case 'restored': case 'refused': return this.asks.answered(frame)
      case 'notice': return this.notice(frame.text)
      case 'unattributed': this.unattributed += frame.chars; return
      case 'touched': for (const task of this.touchedTasks) task(); return
      case 'fatal': return this.notice(`The guest reports an internal error: ${frame.error.name}: ${frame.error.message}`)
      case 'ready': case 'part': return
    }
  }

  private onOutput({ cell, channel, text }: Extract<Frame, { type: 'output' }>): void {
    const job = this.jobs.get(cell)
    if (job?.startedAt != null) job.output(channel, text)
    else if (this.known.has(cell)) this.late.add(this.known.get(cell)?.id ?? cell, channel, text)
    else this.unattributed += text.length
  }

  private onEnds({ cell, ends }: Extract<Frame, { type: 'ends' }>): void {
    const job = this.jobs.get(cell)
    for (const channel of ['stdout', 'stderr'] as const) {
      const end = ends[channel]
      if (end === undefined) continue
      if (job?.startedAt != null) job.output(channel, '', end)
      else if (this.known.has(cell)) this.late.add(this.known.get(cell)?.id ?? cell, channel, `\n[${channel} of this cell was cut: ${end.total} characters in all${end.spill === undefined ? '' : `, whole in ${end.spill}`}]\n`)
    }
  }

  private onEnd(end: CellEnd): void {
    const { state } = this
    if ((state.at !== 'running' && state.at !== 'wedged') || key(state.job) !== end.cell) return
    this.state = { at: 'ready', guest: state.guest }
    if (!state.job.settled) this.finish(state.job, state.job.outcome(end))
    this.pump()
  }

  private finish(job: CellJob, outcome: Outcome): void {
    this.jobs.delete(key(job))
    const late = this.late.take()
    const notices = [...this.notices.splice(0), ...late.notices]
    const result = job.result(outcome, notices, late.late)
    try {
      job.settle(this.assembly.hooks.onResult.call(result, job.cell))
    } catch (error) {
      job.settle({ ...result, notices: [...notices, (error as Error).message] })
    }
    job.controller.abort(new RlmError('CELL_OVER', 'CellOverError', 'the cell is over'))
  }

  private drop(job: CellJob, error: RlmError): void {
    this.jobs.delete(key(job))
    job.reject(error)
  }

  private onCall(frame: Extract<Frame, { type: 'call' }>): void {
    const { guest } = this
    void answerCall(frame, this.caller(frame.cell), this.assembly.hooks, this.assembly.methods).then(answer => { guest?.link.send(answer) })
  }

  private caller(cell: string): Caller {
    const job = this.jobs.get(cell)
    if (job !== undefined) return { cell: job.cell, running: true, signal: job.cancelled === null ? job.controller.signal : AbortSignal.abort(), attach: image => { job.images.push(image) } }
    const known = this.known.get(cell) ?? { id: `cell ${cell}`, number: Number(cell), source: '' }
    return { cell: known, running: false, signal: this.ended.signal, attach: () => { this.notice(`An image of cell ${known.number} came after its end and was dropped.`) } }
  }

  private remember(cell: CellSource): void {
    this.known.set(String(cell.number), cell)
    for (const number of this.known.keys()) {
      if (this.known.size <= KNOWN_CELLS) break
      this.known.delete(number)
    }
  }

  private async startGuest(): Promise<void> {
    this.state = { at: 'starting' }
    try {
      const guest = await this.spawnGuest()
      if (this.state.at !== 'starting') throw this.deadError() ?? engineDead('killed while starting')
      this.state = { at: 'ready', guest }
      this.watchdog = watch({ tag: this.tag, guest: guest.pid })
      this.pump()
    } catch (error) {
      const known = error instanceof RlmError || (error as { code?: unknown }).code !== undefined
      const failure = known ? error as RlmError : startFailed((error as Error).message, error)
      if (this.state.at === 'starting') this.die(failure)
      throw failure
    }
  }

  private async spawnGuest(): Promise<GuestProcess> {
    const { preset } = this.options
    const first = await preset.runtime.plan({ cwd: this.checked.cwd, env: this.checked.env })
    const plan = await this.assembly.hooks.onSpawn.promise(first)
    if (this.state.at !== 'starting') throw this.deadError() ?? engineDead('killed while starting')
    return new Promise((resolve, reject) => {
      let ready = false
      const off = activeTimer(this.checked.startTimeoutMs, () => {
        fail(startFailed(`The guest '${plan.command}' did not become ready within ${this.checked.startTimeoutMs} ms. Check the program, or raise startTimeoutMs.`))
      })
      const fail = (error: RlmError): void => { off(); this.guest?.kill(); reject(error) }
      const onFrame = (frame: Frame): void => {
        if (ready) { this.onFrame(frame); return }
        if (frame.type === 'fatal') fail(startFailed(`The guest cannot start: ${frame.error.message}`))
        else if (frame.type === 'ready') {
          const problem = this.checkReady(frame)
          if (problem !== null) { fail(problem); return }
          ready = true
          off()
          resolve(this.guest as GuestProcess)
        } else this.onFrame(frame)
      }
      const onDeath = (how: string, tail: string): void => {
        if (!ready) fail(startFailed(`The guest '${plan.command}' ended before it was ready: ${how}.${tail === '' ? '' : `\n${tail}`}`))
        else this.die(guestDied(how, tail))
      }
      GuestProcess.start(plan, { onFrame, onDeath }).then(guest => {
        this.guest = guest
        if (this.state.at !== 'starting') { fail(this.deadError() ?? engineDead('killed while starting')); return }
        guest.boot({
          type: 'boot', runtime: preset.runtime.name, tag: this.tag, firstCell: this.cells,
          halves: this.assembly.halves.map(half => ({ ...half, url: preset.runtime.resolve(half.url) })),
          handles: this.assembly.handles(), state: this.checked.statePath === null ? null : { path: this.checked.statePath },
        })
      }, (error: unknown) => { off(); reject(error as Error) })
    })
  }

  private checkReady(frame: Extract<Frame, { type: 'ready' }>): RlmError | null {
    this.version = frame.version
    for (const note of frame.notes) this.notice(note)
    const refusal = this.options.preset.runtime.refuses?.(frame.version)
    if (refusal !== undefined) return new RlmError('RUNTIME_MISSING', 'RuntimeMissingError', refusal)
    const missing = this.assembly.halves.filter(half => !frame.halves.includes(half.name)).map(half => half.name)
    return missing.length === 0 ? null : startFailed(`The guest did not load the halves of ${missing.join(', ')}.`)
  }

  private async save(): Promise<SnapshotReport> {
    const answer = await this.ask({ type: 'save' })
    if (answer.type !== 'saved') return this.failedAsk('save', answer)
    await this.tellState({ type: 'save', report: answer.report })
    return answer.report
  }

  private ask(command: Parameters<Asks['ask']>[1]): ReturnType<Asks['ask']> {
    const { guest } = this
    if (guest === null || this.state.at === 'dead') return Promise.reject(this.deadError() ?? engineDead('not started'))
    return this.asks.ask(message => guest.link.send(message), command)
  }

  private async failedAsk(what: 'save' | 'restore', answer: { readonly type: string }): Promise<never> {
    const reason = answer.type === 'refused' ? (answer as Extract<Frame, { type: 'refused' }>).error : { name: 'Error', message: 'no report came', stack: [] }
    await this.tellState({ type: 'failed', what, reason: reason.message })
    throw new RlmError(what === 'save' ? 'SAVE_FAILED' : 'RESTORE_FAILED', reason.name, reason.message)
  }

  private async tellState(report: StateReport): Promise<void> {
    try {
      await this.assembly.hooks.onSnapshot.promise(report)
    } catch (error) {
      this.notice((error as Error).message)
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
    const later = error.code === 'GUEST_DIED' || error.code === 'EXITED' ? engineDead(error.message.split('\n')[0] ?? 'the guest died', error) : error
    this.state = { at: 'dead', error: later }
    this.sweep()
    this.ended.abort(later)
    if (before.at === 'running') this.lose(before.job, error)
    for (const job of this.queue.splice(0)) this.drop(job, before.at === 'starting' || before.at === 'new' ? error : later)
    this.asks.rejectAll(error)
  }

  /** Ends the guest and every process it or a cell started. */
  private sweep(): void {
    const { guest, watchdog } = this
    if (guest === null) return
    this.swept = endEngine({ tag: this.tag, guest: guest.pid }).catch(() => []).finally(() => { watchdog?.end() })
    guest.kill()
  }

  /** A running cell whose guest is gone: what it had printed goes with the error. */
  private lose(job: CellJob, error: RlmError): void {
    const partial = job.result({ type: 'aborted' }, this.notices.splice(0), this.late.take().late)
    this.jobs.delete(key(job))
    if (job.options.signal?.aborted === true) job.settle(partial)
    else job.reject(Object.assign(new RlmError(error.code, error.name, error.message, error), { partial }))
  }

  private async disposeOnce(): Promise<void> {
    const { state } = this
    if (state.at === 'dead') return
    const error = engineDead('disposed')
    if (state.at === 'running') {
      state.guest.link.send({ type: 'abort', cell: key(state.job) })
      this.lose(state.job, error)
    }
    this.state = { at: 'disposing', error }
    this.pump()
    const reachable = this.guest !== null && state.at !== 'wedged' && state.at !== 'starting'
    if (reachable) {
      await within(DISPOSE_WORK_MS, Promise.allSettled(this.disposeTasks.map(task => task())))
      this.guest?.link.send({ type: 'stop' })
      await this.guest?.gone(EXIT_MS)
    }
    this.die(error)
    await this.guest?.gone(EXIT_MS)
    await this.swept
  }
}

const key = (job: CellJob): string => String(job.cell.number)

function within(ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    void work.then(() => { clearTimeout(timer); resolve() })
  })
}
