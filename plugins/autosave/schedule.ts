/** Timers as an argument, so that tests need not wait. */
export interface Timers { set(task: () => void, ms: number): unknown; clear(timer: unknown): void }

export interface ScheduleOptions { readonly debounceMs: number; readonly maxWaitMs: number; readonly maxWaitCells: number }

/** A save takes a moment itself: the ceilings are met when it starts this much before them. */
const EARLY = 0.8

/** When to save: a pause after the last change, but never later than the ceilings allow. */
export class Schedule {
  private readonly options: ScheduleOptions
  private readonly save: () => Promise<void>
  private readonly timers: Timers
  private pause: unknown = null
  private ceiling: unknown = null
  private cells = 0
  private saving: Promise<void> | null = null
  private ended = false

  constructor(options: ScheduleOptions, save: () => Promise<void>, timers: Timers) {
    this.options = options
    this.save = save
    this.timers = timers
  }

  /** Something may have changed; `cell` when a cell ended, otherwise late work of one. */
  changed(cell: boolean): void {
    if (this.ended) return
    if (cell) this.cells += 1
    const { debounceMs, maxWaitMs, maxWaitCells } = this.options
    if (this.pause !== null) this.timers.clear(this.pause)
    this.pause = this.timers.set(() => void this.now(), debounceMs)
    this.ceiling ??= this.timers.set(() => void this.now(), maxWaitMs * EARLY)
    if (this.cells >= Math.max(1, Math.floor(maxWaitCells * EARLY))) void this.now()
  }

  /** Saves now, or after the save that is under way; never two at once. */
  now(): Promise<void> {
    this.stop()
    const before = this.saving ?? Promise.resolve()
    const next = before.then(this.save, this.save).finally(() => { if (this.saving === next) this.saving = null })
    this.saving = next
    return next
  }

  /** A last save; none is scheduled after it. */
  flush(): Promise<void> {
    this.ended = true
    return this.now()
  }

  stop(): void {
    for (const timer of [this.pause, this.ceiling]) if (timer !== null) this.timers.clear(timer)
    this.pause = this.ceiling = null
    this.cells = 0
  }
}
