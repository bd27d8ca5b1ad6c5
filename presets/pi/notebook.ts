import { EngineSupervisor } from '../../kernel/supervisor.ts'
import type { ExecuteOptions } from '../../kernel/job.ts'
import { definePlugin, type Host, type Plugin, type Preset } from '../../kernel/plugin.ts'
import type { CellResult } from '../../kernel/result.ts'
import type { NameEntry, SnapshotReport } from '../../guest/protocol.ts'
import { type Family, familyOf } from '../../plugins/subagents/index.ts'
import { type Environment, withoutOurs } from './environment.ts'
import type { LatestContext } from './latest-context.ts'
import { ledger } from './ledger.ts'
import type { Mark } from './marks.ts'
import type { Listed } from './prompt-parts.ts'
import type { SessionTools } from './session-tools.ts'

/** Time a question to the guest may take where pi waits for the answer: a busy guest gives none. */
const ANSWER_MS = 2_000
/** A guest that was cancelled and has been silent for so long is in a loop: the person waits for the next cell. */
const BUSY_MS = 2_000

export interface NotebookParts {
  /** The pi session it belongs to. */
  readonly session: string
  readonly latest: LatestContext
  readonly cwd: string
  readonly preset: Preset
  /** Where state is kept; null for an ephemeral session. */
  readonly folder: string | null
  /** The generation to begin from, when it is not the last. */
  readonly generation: number | null
  readonly env: NodeJS.ProcessEnv
  readonly ours: Environment
  /** Plugins beside the preset's own. */
  readonly more: readonly Plugin[]
  /** Its tools, which outlive a reload with it. */
  readonly tools: SessionTools
}

/** The notebook of one pi session: a supervisor, and what pi has to know of it. */
export class Notebook {
  readonly parts: NotebookParts
  readonly kept = new Map<string, unknown>()
  private readonly supervisor: EngineSupervisor
  private host: Host | undefined
  /** Cells since the last mark. */
  private unmarked = 0
  private ran = false
  private saved: SnapshotReport | undefined
  private failure: Error | undefined

  constructor(parts: NotebookParts) {
    this.parts = parts
    this.supervisor = new EngineSupervisor({
      pingTimeoutMs: BUSY_MS, preset: parts.preset, plugins: [this.link(), ledger(), ...parts.more], kept: this.kept, cwd: parts.cwd,
      env: { ...parts.env, ...parts.ours }, ...(parts.folder !== null && { snapshot: { path: parts.folder } }),
    })
    if (parts.generation !== null) this.supervisor.restart('', parts.generation)
  }

  get plugins(): readonly string[] { return this.parts.preset.plugins.map(plugin => plugin.name) }
  get methods(): readonly Listed[] { return this.host?.methods() ?? [] }
  get lastSave(): SnapshotReport | undefined { return this.saved }
  /** Why the engine cannot be started, when the last try failed. */
  get startFailure(): Error | undefined { return this.failure }
  get engine(): EngineSupervisor['current'] { return this.supervisor.current }
  /** The child agents of the session, once there can be any. */
  get family(): Family | undefined { return familyOf(this.kept) }
  /** How deep this agent stands in a tree of agents, and how deep the tree may go. */
  get depth(): { readonly depth: number; readonly maxDepth: number } {
    const { depth = 0, limits } = this.family?.settings ?? {}
    return { depth, maxDepth: limits?.maxDepth ?? 0 }
  }
  /** What this session's agents can do, for the prompt. */
  get agents(): { readonly run: boolean; readonly ask: boolean } {
    const agent = this.host?.agent()
    return { run: agent !== undefined && this.plugins.includes('subagents'), ask: agent?.ask !== undefined && this.plugins.includes('subagents') }
  }
  get tools(): SessionTools { return this.parts.tools }
  /** Whether any cell ran, or names were revived. */
  get hasRun(): boolean { return this.ran || this.supervisor.lastRestore !== null }

  /** Starts the engine and revives the names, so that the first cell finds both. */
  async start(): Promise<void> {
    try {
      await this.supervisor.start()
      this.failure = undefined
    } catch (error) {
      this.failure = error as Error
      throw error
    }
  }

  async execute(code: string, options: ExecuteOptions): Promise<CellResult> {
    this.unmarked++
    this.ran = true
    return this.supervisor.execute(code, options)
  }

  names(): Promise<readonly NameEntry[]> { return inTime(this.supervisor.listNamespaceNames()) }

  /** Saves now; undefined when the guest does not answer, or nothing is kept. */
  async save(): Promise<SnapshotReport | undefined> {
    if (this.parts.folder === null || this.engine?.isRunning !== true || this.engine.isWedged) return undefined
    return inTime(this.supervisor.snapshotState()).catch(() => undefined)
  }

  /** The state the notebook is in, for the transcript; undefined when it has not changed since it was asked last. */
  async mark(): Promise<Mark | undefined> {
    if (this.unmarked === 0) return undefined
    const report = await this.save()
    if (report === undefined || report.generation === 0) return undefined
    this.unmarked = 0
    return { state: this.parts.session, generation: report.generation }
  }

  /** Whether the live names are those of a generation, as far as can be told. */
  isAt(generation: number): boolean { return this.unmarked === 0 && this.saved?.generation === generation }

  /** A line that leads the next result. */
  notice(text: string): void { this.host?.notice(text) }

  async restart(cause: string, generation: number | null = null): Promise<void> {
    await this.supervisor.restartSaved(cause, generation)
    this.unmarked = 0
  }

  async dispose(): Promise<void> { await this.supervisor.dispose() }

  /** Hears of each engine's methods and saves, and keeps this project's variables from the shells of cells. */
  private link(): Plugin {
    return definePlugin({
      name: 'pi-session',
      host: host => {
        this.host = host
        host.hooks.onSnapshot.tapPromise('pi-session', state => {
          if (state.type === 'save') this.saved = state.report
          return Promise.resolve()
        })
        host.hooks.onSpawn.tapPromise('pi-session', plan => Promise.resolve(plan.kind === 'guest' ? { ...plan, env: guestEnv(plan.env) } : plan))
      },
    })()
  }
}

/** The guest needs to know where its packages are; the rest would reach every shell a cell runs. */
const guestEnv = (env: Readonly<Record<string, string>>): Record<string, string> => {
  const cache = env['PI_RLM_NPM_CACHE_DIR']
  return { ...withoutOurs(env), ...(cache !== undefined && { PI_RLM_NPM_CACHE_DIR: cache }) }
}

function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the guest is busy and does not answer')), ANSWER_MS)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
