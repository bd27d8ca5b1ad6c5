import { existsSync, rmSync } from 'node:fs'
import type { Host } from '../../kernel/plugin.ts'
import type { Ending } from './child/outcome.ts'
import { Guard } from './child/guard.ts'
import { Life } from './child/life.ts'
import { overBudget } from './limits.ts'
import type { RecordFolder } from './records/folder.ts'
import type { ProcessTable } from './records/identity.ts'
import type { ChildRecord } from './records/record.ts'
import type { TreeTotals } from './records/tree.ts'
import { startPlan } from './plan.ts'
import type { Handover } from './handover.ts'
import type { Settings } from './settings.ts'

/** What the nursery asks of the family it works for. */
export interface Household {
  readonly folder: RecordFolder
  readonly table: ProcessTable
  readonly settings: Settings
  /** The engine that speaks for the session now. */
  speaker(): Host
  totals(): TreeTotals
  /** Runs a decision that counts the tree, alone. */
  decide<T>(work: () => T): Promise<T>
  handoverFor(id: string, depth: number): Handover
}

const TICK_MS = 500

/** The children this process looks after: the queue, the running, their deadlines. Settled ones leave no trace here. */
export class Nursery {
  private readonly house: Household
  private readonly lives = new Map<string, Life>()
  private readonly guard = new Guard()
  private readonly listeners = new Set<(record: ChildRecord) => void>()
  private readonly plans = new WeakMap<Life, () => void>()
  private ticker: NodeJS.Timeout | null = null
  private pumping: Promise<void> | null = null
  private nextStart = 0

  constructor(house: Household) { this.house = house }

  /** Makes the life of an admitted child; it joins the queue with `add`. */
  conceive(record: ChildRecord): Life {
    const { folder, table, settings } = this.house
    return new Life(record, { ...settings, folder, table, guard: this.guard, changed: changed => this.changed(changed) })
  }

  add(life: Life): void {
    this.lives.set(life.record.id, life)
    void life.settled.then(() => this.leave(life))
    this.ticker ??= setInterval(() => this.tick(), TICK_MS).unref()
    this.changed(life.record)
    this.pump()
  }

  get(id: string): Life | undefined { return this.lives.get(id) }

  /** Children that have not ended. */
  live(): Life[] { return [...this.lives.values()].filter(life => life.record.finished_at === undefined) }

  async endAll(ending: Ending, graceMs: number): Promise<string[]> {
    const live = this.live()
    await Promise.all(live.map(life => life.end(ending, graceMs)))
    this.guard.release()
    return live.map(life => life.record.name)
  }

  onChange(listener: (record: ChildRecord) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private changed(record: ChildRecord): void {
    for (const listener of [...this.listeners]) listener(record)
  }

  /** Starts what the limits allow, in the order of admission. */
  private pump(): void {
    this.pumping ??= this.startDue().catch(() => { /* the lock is held or the disk refuses: the next tick tries again */ }).finally(() => { this.pumping = null })
  }

  private async startDue(): Promise<void> {
    for (let life = this.due(); life !== undefined; life = this.due()) {
      const next = life
      const begin = await this.ready(next)
      if (Date.now() < this.nextStart) return this.pumpAfter(this.nextStart - Date.now())
      if (begin !== undefined && !await this.house.decide(() => this.startIf(next, begin))) return
    }
  }

  private due(): Life | undefined {
    return this.live().find(life => life.record.status === 'queued')
  }

  /** Everything a start needs, so that the start itself is one step; undefined when there is nothing to start any more. */
  private async ready(life: Life): Promise<(() => void) | undefined> {
    const known = this.plans.get(life)
    if (known !== undefined) return known
    try {
      const host = this.house.speaker()
      const agent = host.agent()
      if (agent === undefined) throw new Error('the engine that took over has no child agent')
      const makePlan = () => startPlan(host, agent, life, this.house.handoverFor(life.record.id, life.record.depth))
      const plan = await makePlan()
      const begin = () => {
        this.nextStart = Date.now() + (agent.startGapMs ?? 0)
        life.begin(agent, plan, makePlan)
      }
      this.plans.set(life, begin)
      return begin
    } catch (cause) {
      life.fail(cause as Error)
      return undefined
    }
  }

  private startIf(life: Life, begin: () => void): boolean {
    if (life.record.status !== 'queued') return true
    if (this.house.totals().working >= this.house.settings.limits.concurrency) return false
    try { begin() } catch (cause) { life.fail(cause as Error) }
    return true
  }

  private leave(life: Life): void {
    if (life.flush()) this.lives.delete(life.record.id)
    this.pump()
  }

  private pumpAfter(ms: number): void { setTimeout(() => this.pump(), ms).unref() }

  private tick(): void {
    const now = Date.now()
    for (const life of this.lives.values()) {
      if (life.record.finished_at !== undefined) this.leave(life)
      else if (askedToStop(life)) void life.end({ reason: 'stopped', message: 'stopped by rlm.deleteSubagent' })
      else life.tick(now)
    }
    this.keepBudget()
    if (this.due() !== undefined) this.pump()
    if (this.lives.size > 0 || this.ticker === null) return
    clearInterval(this.ticker)
    this.ticker = null
  }

  private keepBudget(): void {
    const { limits } = this.house.settings
    if ((limits.tokenBudget === 0 && limits.costBudget === 0) || this.lives.size === 0) return
    const spent = overBudget(this.house.totals(), limits)
    if (spent !== undefined) for (const life of this.live()) void life.end({ reason: 'budget', message: `stopped because ${spent}` })
  }
}

/** Another instance on the same records leaves a mark; taking it away is the answer. */
function askedToStop(life: Life): boolean {
  if (!existsSync(life.paths.stop)) return false
  rmSync(life.paths.stop, { force: true })
  return true
}
