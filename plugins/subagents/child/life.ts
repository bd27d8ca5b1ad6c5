import { rmSync } from 'node:fs'
import type { SpawnPlan } from '../../../kernel/hooks.ts'
import type { ChildAgent } from '../../../kernel/plugin.ts'
import type { ChildPaths, RecordFolder } from '../records/folder.ts'
import { identify, type ProcessTable } from '../records/identity.ts'
import type { ChildRecord } from '../records/record.ts'
import { conclude, type EndedWith } from './conclusion.ts'
import { overdue, type Patience } from './deadlines.ts'
import { endGroup, type Power, systemPower } from './end.ts'
import { factsOf } from './facts.ts'
import type { Guard } from './guard.ts'
import { type Ended, type Ending, isOther } from './outcome.ts'
import { type RunningChild, startChild } from './start.ts'

const NEVER_RAN: EndedWith = { code: null, signal: null, bytes: 0, stderrTail: '', warnings: [] }

/** What every life of one family shares. */
export interface Surroundings extends Patience {
  readonly folder: RecordFolder
  readonly table: ProcessTable
  readonly guard: Guard
  readonly power?: Power
  readonly graceMs: number
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
  begin(agent: ChildAgent, plan: SpawnPlan, again: () => Promise<SpawnPlan>): void {
    const first = this.attempt(agent, plan)
    void first.then(async end => this.mayRetry(agent, end) ? this.attempt(agent, await again()) : end)
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
    const { running } = this
    if (running === null || this.ending !== null || running.hasExited()) return
    const late = overdue(this.record, running, this.around, now)
    if (late === undefined) this.follow(running)
    else void this.end(late)
  }

  private async attempt(agent: ChildAgent, plan: SpawnPlan): Promise<EndedWith> {
    if (this.ending !== null) return NEVER_RAN
    const now = Date.now()
    const running = this.running = startChild(plan, {
      promptPath: this.paths.prompt, spoolPath: this.paths.spool, stderrPath: this.paths.stderr, reader: agent.read?.(), maxAnswerBytes: this.around.maxAnswerBytes,
      onActivity: () => { this.record = { ...this.record, last_activity_at: Date.now() }; this.unsaved = true },
      onTrouble: message => { void this.end({ reason: 'too-large', message }) },
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
  private follow({ reader }: RunningChild): void {
    const progress = reader?.progress()
    const { chosen } = this.record.model
    if (progress?.model !== undefined && isOther(progress.model, chosen)) void this.end({ reason: 'wrong-model', message: `${chosen} was chosen and ${progress.model} answered` })
    if (this.unsaved) this.update(progress === undefined ? {} : factsOf(progress, this.record))
  }

  private settle(end: EndedWith): void {
    if (this.record.finished_at !== undefined) return
    this.update(conclude(this.record, end, this.ending, this.running, this.paths))
    this.running = null
    rmSync(this.paths.handover, { force: true })
    this.finish()
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
