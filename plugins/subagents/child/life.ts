import { renameSync, rmSync } from 'node:fs'
import type { SpawnPlan } from '../../../kernel/hooks.ts'
import type { ChildAgent, ChildProgress, TokenUsage } from '../../../kernel/plugin.ts'
import { plainText } from '../naming.ts'
import { type ChildPaths, type RecordFolder, replaceFile } from '../records/folder.ts'
import { identify, type ProcessTable } from '../records/identity.ts'
import type { ChildRecord, Usage } from '../records/record.ts'
import { endGroup, type Power, systemPower } from './end.ts'
import type { Guard } from './guard.ts'
import { type Ended, type Ending, isOther, type Outcome, outcomeOf } from './outcome.ts'
import { type RunningChild, startChild } from './start.ts'

type EndedWith = Ended & { readonly warnings: readonly string[] }
const NEVER_RAN: EndedWith = { code: null, signal: null, bytes: 0, stderrTail: '', warnings: [] }

/** What every life of one family shares. */
export interface Surroundings {
  readonly folder: RecordFolder
  readonly table: ProcessTable
  readonly guard: Guard
  readonly power?: Power
  readonly graceMs: number
  readonly startMs: number
  readonly stallMs: number
  readonly maxAnswerBytes: number
  /** Called after each change of a record. */
  changed(record: ChildRecord): void
}

/** One child from admission to its last record. It holds the process; the record on disk says everything else. */
export class Life {
  record: ChildRecord
  readonly settled: Promise<void>
  readonly paths: ChildPaths
  private readonly around: Surroundings
  private finish: () => void = () => {}
  private ending: Ending | null = null
  private running: RunningChild | null = null
  private stopping: Promise<number[]> | null = null
  private unsaved = false

  constructor(record: ChildRecord, around: Surroundings) {
    this.record = record
    this.around = around
    this.paths = around.folder.paths(record.id)
    this.settled = new Promise(resolve => { this.finish = resolve })
  }

  /**
   * Starts the agent: taking its place among the running and starting are one step, done under the tree's lock, so that
   * the count on disk is right at once. `again` makes the plan of a second try. Never throws.
   */
  begin(agent: ChildAgent, plan: SpawnPlan, prompt: string, again: () => Promise<SpawnPlan>): void {
    const first = this.attempt(agent, plan, prompt)
    void first.then(async end => this.mayRetry(agent, end) ? this.attempt(agent, await again(), prompt) : end)
      .then(end => this.settle(end), (cause: unknown) => this.fail(cause as Error))
  }

  /** It cannot be started. */
  fail(cause: Error): void { this.settle({ ...NEVER_RAN, spawnError: cause }) }

  /**
   * Ends the child for a reason: a queued one never runs, a running one gets TERM, then KILL. Answers with the pids that
   * would not die; calling again tries again.
   */
  async end(ending: Ending, graceMs = this.around.graceMs): Promise<readonly number[]> {
    if (this.record.finished_at !== undefined) return []
    const { running } = this
    if (running?.pid === undefined) {
      this.ending ??= ending
      if (this.record.status === 'queued') this.settle(NEVER_RAN)
      await this.settled
      return []
    }
    if (!running.hasExited()) this.ending ??= ending
    const { pid } = running
    this.stopping ??= endGroup(pid, graceMs, this.around.power ?? systemPower).finally(() => { this.stopping = null })
    const alive = await this.stopping
    if (alive.length === 0) await this.settled
    return alive
  }

  /** Called twice a second while it lives: deadlines, and what is worth writing down. */
  tick(now: number): void {
    const { running, record } = this
    if (running === null || this.ending !== null || running.hasExited()) return
    const silent = now - (record.last_activity_at ?? now)
    const age = now - (record.started_at ?? now)
    if (record.timeout_ms > 0 && age >= record.timeout_ms) this.endSoon('timeout', `stopped after ${record.timeout_ms} ms, its wall time`)
    else if (this.around.stallMs > 0 && silent >= this.around.stallMs) this.endSoon('stalled', `stopped after ${this.around.stallMs} ms without a sign of life`)
    else if (this.isStillborn(age)) this.endSoon('failed-to-start', `no sign of life within ${this.around.startMs} ms${lastLine(running)}`)
    else this.follow()
  }

  private isStillborn(age: number): boolean {
    const progress = this.running?.reader?.progress()
    return this.around.startMs > 0 && age >= this.around.startMs && progress !== undefined && progress.activity === undefined
  }

  private endSoon(reason: Ending['reason'], message: string): void { void this.end({ reason, message }) }

  private async attempt(agent: ChildAgent, plan: SpawnPlan, prompt: string): Promise<EndedWith> {
    if (this.ending !== null) return NEVER_RAN
    const now = Date.now()
    const running = this.running = startChild(plan, {
      prompt, spoolPath: this.paths.spool, stderrPath: this.paths.stderr, reader: agent.read?.(), maxAnswerBytes: this.around.maxAnswerBytes,
      onActivity: () => { this.record = { ...this.record, last_activity_at: Date.now() }; this.unsaved = true },
      onTrouble: message => this.endSoon('too-large', message),
    })
    const { pid } = running
    const process = pid === undefined ? undefined : identify(pid, this.around.table)
    if (pid !== undefined) this.around.guard.add(pid)
    this.update({ status: 'running', started_at: this.record.started_at ?? now, last_activity_at: now, ...(process !== undefined && { process }) })
    const deadline = this.deadline()
    const end = await running.ended
    clearTimeout(deadline)
    if (pid !== undefined) this.around.guard.remove(pid)
    return end
  }

  /** The tick is coarse; a short wall time deserves a timer of its own. */
  private deadline(): NodeJS.Timeout | undefined {
    const { timeout_ms: limit, started_at: started = Date.now() } = this.record
    return limit === 0 ? undefined : setTimeout(() => this.tick(Date.now()), Math.max(1, started + limit - Date.now())).unref()
  }

  private mayRetry(agent: ChildAgent, end: Ended): boolean {
    return this.ending === null && end.code !== 0 && end.bytes === 0 && (end.progress?.usage?.turns ?? 0) === 0 && agent.transient?.(end.stderrTail) === true
  }

  /** Writes what changed: last activity, usage, model. Notices an answer from another model. */
  private follow(): void {
    const progress = this.running?.reader?.progress()
    const { chosen } = this.record.model
    if (progress?.model !== undefined && isOther(progress.model, chosen)) this.endSoon('wrong-model', `${chosen} was chosen and ${progress.model} answered`)
    if (this.unsaved) this.update(progress === undefined ? {} : factsOf(progress, this.record))
  }

  private settle(end: EndedWith): void {
    if (this.record.finished_at !== undefined) return
    const { outcome, kept } = this.concluded(end)
    const warnings = [...end.warnings, ...outcome.status === 'completed' ? outcome.warnings : []]
    this.update({
      ...(end.progress !== undefined && factsOf(end.progress, this.record)),
      status: outcome.status,
      ...(outcome.status === 'error' && { reason: outcome.reason, message: outcome.message }),
      finished_at: Date.now(),
      output_bytes: end.bytes,
      ...(end.code !== null && { exit_code: end.code }),
      ...(end.signal !== null && { signal: end.signal }),
      ...(this.running !== null && this.running.stderr.bytes > 0 && { stderr_file: this.paths.stderr, stderr_bytes: this.running.stderr.bytes }),
      ...(kept !== undefined && { partial_file: kept }),
      ...(warnings.length > 0 && { warnings }),
    })
    this.running = null
    rmSync(this.paths.handover, { force: true })
    this.finish()
  }

  private concluded(end: Ended): { readonly outcome: Outcome; readonly kept: string | undefined } {
    const outcome = outcomeOf(end, this.ending, this.record.model.chosen)
    try {
      return { outcome, kept: this.keepAnswer(outcome.status === 'completed', end) }
    } catch (cause) {
      return { outcome: { status: 'error', reason: 'failed', message: `its answer could not be written: ${(cause as Error).message}` }, kept: undefined }
    }
  }

  /** Puts the answer in its place in one step. Answers with the file of a partial one. */
  private keepAnswer(whole: boolean, end: Ended): string | undefined {
    const place = whole ? this.paths.output : this.paths.partial
    if (!whole && end.bytes === 0) return undefined
    if (end.progress !== undefined || end.bytes === 0) replaceFile(place, end.progress?.answer ?? '')
    else renameSync(this.paths.spool, place)
    return whole ? undefined : place
  }

  /** A record that cannot be written is no reason to lose the child: the next change writes it again. */
  private update(change: Partial<ChildRecord>): void {
    this.record = { ...this.record, ...change }
    try {
      this.around.folder.write(this.record)
      this.unsaved = false
    } catch { this.unsaved = true }
    this.around.changed(this.record)
  }

  /** Writes the last record again when the disk refused it; true once it is there. */
  flush(): boolean {
    if (this.unsaved) this.update({})
    return !this.unsaved
  }
}

function factsOf(progress: ChildProgress, record: ChildRecord): Partial<ChildRecord> {
  return {
    model: { ...record.model, actual: progress.model ?? record.model.actual },
    ...(progress.usage !== undefined && { usage: usageOf(progress.usage) }),
    ...(progress.activity !== undefined && { activity: plainText(progress.activity, 120) }),
  }
}

const usageOf = (usage: TokenUsage): Usage => ({
  input: usage.input, output: usage.output, cache_read: usage.cacheRead, cache_write: usage.cacheWrite,
  cost: usage.cost, context: usage.context, turns: usage.turns,
})

const lastLine = (running: RunningChild): string => {
  const line = running.stderr.lastText().trim().split('\n').at(-1) ?? ''
  return line === '' ? '' : `: ${line}`
}
