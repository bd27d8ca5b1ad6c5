import type { NameEntry, RestoreReport, SnapshotReport } from '../guest/protocol.ts'
import { EngineManager } from './engine.ts'
import { engineDead, RlmError } from './errors.ts'
import type { ExecuteOptions } from './job.ts'
import { endKept, type Kept } from './kept.ts'
import { onAbort } from './on-abort.ts'
import type { EngineOptions } from './options.ts'
import { losses, type LossesToTell, resetNotice } from './reset-notice.ts'
import { RestartBudget } from './restart-budget.ts'
import type { CellResult } from './result.ts'

export interface SupervisorOptions extends EngineOptions {
  /** Told of each engine that is ready: why the one before ended (null for the first), and what was restored. */
  readonly onEngine?: (engine: EngineManager, cause: string | null, report: RestoreReport | null) => void
  /** Which losses a notice tells after a restore; all of them unless it is said otherwise. */
  readonly losses?: LossesToTell
}

/**
 * A notebook that outlives its guests: makes the next engine at the next call, restores it, and tells of the reset in
 * the first result. A call that never ran is moved to the next engine; one that was running when its guest died
 * rejects with `GUEST_DIED`.
 */
export class EngineSupervisor {
  private readonly options: SupervisorOptions
  private readonly budget = new RestartBudget()
  private readonly kept: Kept
  private engine: EngineManager | null = null
  private preparing: Promise<EngineManager> | null = null
  private cause: string | null = null
  private cells = 0
  private disposed = false
  /** Whether the engine in use has run no cell yet. */
  private unproven = false
  private next: EngineManager | null = null
  private generation: number | null = null
  private report: RestoreReport | null = null

  constructor(options: SupervisorOptions) {
    this.options = options
    this.kept = options.kept ?? new Map<string, unknown>()
  }

  /** The engine in use, if one is. */
  get current(): EngineManager | null { return this.engine }
  /** What the last engine restored. */
  get lastRestore(): RestoreReport | null { return this.report }

  /** Starts and restores an engine now instead of at the first cell. */
  async start(): Promise<RestoreReport | null> {
    await this.ready()
    return this.report
  }

  /** Runs a cell; see `EngineManager.execute`. */
  async execute(code: string, options: ExecuteOptions = {}): Promise<CellResult> {
    const result = await this.onEngine(async engine => {
      try {
        const ended = await engine.execute(code, options)
        this.proven(engine)
        return ended
      } catch (error) {
        if (began(error)) this.proven(engine)
        throw error
      }
    }, options.signal)
    return result ?? this.abortedBeforeStart(options)
  }

  async snapshotState(): Promise<SnapshotReport> { return await this.onEngine(engine => engine.snapshotState()) as SnapshotReport }
  async listNamespaceNames(): Promise<readonly NameEntry[]> { return await this.onEngine(engine => engine.listNamespaceNames()) as readonly NameEntry[] }

  /** Ends the guest; the next call starts another one from the last snapshot, or from `generation`. */
  restart(cause = 'a restart was asked for', generation: number | null = null): void {
    this.unproven = false
    this.budget.succeeded()
    this.generation = generation
    if (this.engine !== null) this.discard(this.engine, cause)
  }

  /** Saves, then restarts: nothing that can be saved is lost. */
  async restartSaved(cause = 'a restart was asked for', generation: number | null = null): Promise<void> {
    const { engine } = this
    if (engine !== null) await engine.dispose()
    this.restart(cause, generation)
  }

  /** Ends everything; saves first. Every later call rejects. */
  async dispose(): Promise<void> {
    this.disposed = true
    // One that is still starting has nothing to save.
    if (this.engine === null) this.next?.kill()
    const engine = this.engine ?? await this.preparing?.catch(() => null)
    await Promise.all([engine?.dispose(), endKept(this.kept)])
  }

  /** Calls the engine in use; a call that was refused, or never ran, goes to the next one. Null when the caller gave up first. */
  private async onEngine<T>(call: (engine: EngineManager) => Promise<T>, signal?: AbortSignal): Promise<T | null> {
    for (;;) {
      const engine = this.usable() ?? await this.readyOrAborted(signal)
      if (engine === null) return null
      try {
        return await call(engine)
      } catch (error) {
        const { code } = error as RlmError
        const end = ENDS[code]
        if (end === undefined) throw error
        this.discard(engine, end(error as RlmError))
        if (began(error) || this.disposed) throw error
      }
    }
  }

  /** A cell ran on this engine: earlier failures to start no longer count. */
  private proven(engine: EngineManager): void {
    if (engine === this.engine) this.unproven = false
    this.budget.succeeded()
  }

  private usable(): EngineManager | null {
    return this.preparing === null && this.engine?.isRunning === true ? this.engine : null
  }

  private ready(): Promise<EngineManager> {
    const usable = this.usable()
    if (usable !== null) return Promise.resolve(usable)
    if (this.disposed) return Promise.reject(engineDead('disposed'))
    return this.preparing ??= this.prepare().finally(() => { this.preparing = null })
  }

  private async prepare(): Promise<EngineManager> {
    if (this.engine !== null) this.discard(this.engine, await endOf(this.engine))
    for (;;) {
      const spent = this.budget.exhausted()
      if (spent !== null) throw spent
      const engine = new EngineManager({ ...this.options, kept: this.kept, firstCell: this.cells + 1 })
      this.next = engine
      try {
        await this.revive(engine)
        return engine
      } catch (error) {
        engine.kill()
        // A wrong path or option does not mend itself: the caller is told at once.
        if (!this.budget.failed(error as Error) || (error as RlmError).code === 'RUNTIME_MISSING' || this.disposed) throw this.budget.exhausted() ?? error
        this.cause ??= firstLine((error as Error).message)
      }
    }
  }

  private async revive(engine: EngineManager): Promise<void> {
    await engine.start()
    const wanted = this.options.snapshot === undefined ? null : await engine.restoreState(this.generation)
    if (this.disposed) throw engineDead('disposed')
    this.generation = null
    this.engine = engine
    this.unproven = true
    this.report = wanted
    if (this.cause !== null) engine.notice(resetNotice(this.cause, wanted, this.options.losses))
    else if (wanted !== null) for (const line of losses(wanted, this.options.losses)) engine.notice(line)
    const { cause } = this
    this.cause = null
    this.options.onEngine?.(engine, cause, wanted)
  }

  private discard(engine: EngineManager, cause: string): void {
    engine.kill()
    if (this.engine !== engine) return
    if (this.unproven) this.budget.failed(new Error(cause))
    this.cells = engine.cellCount
    this.engine = null
    this.cause = cause
  }

  private async readyOrAborted(signal: AbortSignal | undefined): Promise<EngineManager | null> {
    const ready = this.ready()
    if (signal === undefined) return ready
    ready.catch(() => {})
    if (signal.aborted) return null
    return new Promise((resolve, reject) => {
      const off = onAbort(signal, () => { resolve(null) })
      ready.then(resolve, reject).finally(off)
    })
  }

  private abortedBeforeStart({ cellId }: ExecuteOptions): CellResult {
    return { cell: { id: cellId ?? '', number: 0 }, status: 'aborted', stdout: '', stderr: '', durationMs: 0, images: [], notices: [], late: [] }
  }
}

/** Whether a cell may have run before its guest died; one that never ran is safe to run elsewhere. */
const began = (error: unknown): boolean => {
  const { code, unread } = error as { readonly code?: string; readonly unread?: boolean }
  return code === 'GUEST_DIED' && unread !== true
}

const firstLine = (text: string): string => (text.split('\n')[0] ?? text).replace(/\.$/, '')

/** How an engine ended, by the error its last call met. */
const ENDS: Readonly<Record<string, (error: { readonly message: string; readonly cause?: unknown }) => string>> = {
  ENGINE_BUSY: () => 'a cell ran synchronous code that cannot be interrupted, so its guest was ended',
  GUEST_DIED: error => began(error) ? firstLine(error.message) : idleEnd(error),
  ENGINE_DEAD: idleEnd,
}

function idleEnd({ cause }: { readonly cause?: unknown }): string {
  const { how } = (cause ?? {}) as { readonly how?: string }
  return `its guest ended while no cell ran${how === undefined ? '' : ` (${how})`}`
}

/** How the guest of an engine that is over ended between two calls: a start of that engine says why there is none. */
const endOf = async (engine: EngineManager): Promise<string> =>
  idleEnd(await engine.start().then(() => ({}), (error: unknown) => error) as { readonly cause?: unknown })
