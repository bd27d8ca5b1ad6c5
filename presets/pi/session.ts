import { join } from 'node:path'
import { piToolsFrom } from '../../plugins/pi-tools/index.ts'
import { readHandover } from '../../plugins/subagents/index.ts'
import type { TreeNode } from '../../plugins/subagents/records/tree.ts'
import type { Preset } from '../../kernel/plugin.ts'
import { preset as standard } from '../default.ts'
import { takeEnvironment } from './environment.ts'
import { HANDOVER_FLAG, piChildAgent } from './child-agent.ts'
import { keepOver, takeUp } from './keeping.ts'
import type { LatestContext } from './latest-context.ts'
import { loadPreset } from '../load/preset.ts'
import { type BranchState, MARK, stateOfBranch } from './marks.ts'
import { Notebook } from './notebook.ts'
import { type ExtensionAPI, type ExtensionContext, isAttended, isPi16, type PiParts, tell } from './pi.ts'
import { SessionTools } from './session-tools.ts'
import { readSettings, type Settings } from './settings.ts'
import { copyState, hasState, stateFolder } from './state-folder.ts'
import { TOOL_NAME } from './surface.ts'
import type { Running } from './tool.ts'

interface Opened { readonly id: string; readonly running: Promise<Open>; readonly tools: SessionTools }
interface Open extends Running { readonly settings: Settings }

const KEPT_NOTICE = 'The session went to another branch and the notebook was kept as it was: its names are those of the branch it came from.'

/** One pi session with the notebook, from `session_start` to `session_shutdown`. */
export class Session {
  private readonly pi: ExtensionAPI
  private readonly parts: PiParts
  private opened: Opened | undefined
  private notebook: Notebook | undefined
  private latest: LatestContext | undefined
  private settling: Promise<void> = Promise.resolve()

  constructor(pi: ExtensionAPI, parts: PiParts) {
    this.pi = pi
    this.parts = parts
  }

  get tools(): SessionTools | undefined { return this.opened?.tools }

  /** The child agents of the session, for the view. */
  children(): readonly TreeNode[] { return this.notebook?.family?.tree() ?? [] }

  /** The notebook, or what keeps it from running. */
  running(): Promise<Open> {
    return this.opened?.running ?? Promise.reject(new Error('this session has no notebook: start pi with --rlm'))
  }

  /** Starts the notebook with the session. 0.73 tells twice of a new session in RPC mode. */
  begin(ctx: ExtensionContext): void {
    const id = ctx.sessionManager.getSessionId()
    if (this.latest !== undefined && this.opened?.id === id) {
      this.latest.ctx = ctx
      return
    }
    const kept = takeUp(id)
    this.latest = kept?.parts.latest ?? { ctx }
    this.latest.ctx = ctx
    const tools = kept?.tools ?? new SessionTools(this.parts, ctx.cwd, isPi16(ctx))
    const running = this.open(this.latest, id, tools, kept)
    this.opened = { id, running, tools }
    running.then(({ notebook }) => {
      this.notebook = notebook
      return notebook.start()
    }).catch((error: unknown) => {
      // A session that is over before its guest is ready has cut that start short itself.
      if (this.opened?.id === id) tell(ctx, `pi-rlm: ${(error as Error).message}`, 'error')
    })
  }

  /** Ends the notebook, or hands it to the extension as it is loaded anew. */
  async end(reload: boolean): Promise<void> {
    await this.settling
    const open = await this.opened?.running.catch(() => undefined)
    this.opened = undefined
    this.notebook = undefined
    if (open === undefined) return
    if (reload) keepOver(open.notebook)
    else await open.notebook.dispose()
  }

  /** Writes into the transcript which state its branch has come to. */
  settle(): Promise<void> {
    this.settling = this.settling.then(() => this.mark()).catch(() => {})
    return this.settling
  }

  /** Resolves when what was to be written is written. */
  settled(): Promise<void> { return this.settling }

  /** The user went to another branch: its state comes back, or the next result says that it did not. */
  async branch(ctx: ExtensionContext): Promise<void> {
    const open = await this.opened?.running.catch(() => undefined)
    if (open === undefined) return
    const { notebook, settings } = open
    const state = stateOfBranch(ctx.sessionManager.getBranch(), TOOL_NAME)
    if (state.mark !== undefined && state.exact && notebook.isAt(state.mark.generation)) return
    if (settings.tree === 'keep' || notebook.parts.folder === null || (state.mark === undefined && !state.exact)) {
      if (notebook.hasRun) notebook.notice(KEPT_NOTICE)
      return
    }
    await notebook.restart('the session went to another branch', state.mark?.generation ?? 0)
    void notebook.start().then(() => { if (!state.exact) notebook.notice(INEXACT_NOTICE) }, (error: unknown) => { tell(ctx, `pi-rlm: ${(error as Error).message}`, 'error') })
  }

  /** After a compaction the model no longer sees what it named. */
  async compacted(): Promise<void> {
    const open = await this.opened?.running.catch(() => undefined)
    const names = await open?.notebook.names().catch(() => [])
    if (open === undefined || names === undefined || names.length === 0) return
    open.notebook.notice(`The conversation was compacted. The notebook still has: ${names.slice(0, LISTED).map(({ name, type }) => `${name} (${type})`).join(', ')}${names.length > LISTED ? ` and ${names.length - LISTED} more` : ''}.`)
  }

  private async mark(): Promise<void> {
    const mark = await this.notebook?.mark()
    if (mark !== undefined) this.pi.appendEntry(MARK, mark)
  }

  /** The file that says which child of which parent this session is. */
  private handover(): string | undefined {
    const path = this.pi.getFlag(HANDOVER_FLAG)
    return typeof path === 'string' && path !== '' ? path : undefined
  }

  private async open(latest: LatestContext, id: string, tools: SessionTools, kept: Notebook | undefined): Promise<Open> {
    const { ctx } = latest
    const ours = takeEnvironment()
    const settings = readSettings(ours, isAttended(ctx))
    const base = { tools, cellTimeoutMs: settings.cellTimeoutMs, settings }
    if (kept !== undefined) return { ...base, notebook: kept }
    const handover = this.handover()
    const preset = withHandover(withTools(settings.preset === undefined ? standard : await loadPreset(settings.preset, ctx.cwd), tools), handover)
    const folder = ctx.sessionManager.getSessionFile() === undefined ? null : handover === undefined ? stateFolder(ctx.cwd, id) : placeOf(handover)
    const delegates = preset.plugins.some(plugin => plugin.name === 'subagents')
    const more = delegates ? [piChildAgent(() => latest.ctx, ctx.cwd)] : []
    const generation = folder === null ? null : await inherit(ctx, folder)
    return { ...base, notebook: new Notebook({ session: id, latest, cwd: ctx.cwd, preset, folder, generation, env: process.env, ours, tools, more }) }
  }
}

const LISTED = 40
const INEXACT_NOTICE = 'Cells that ran later on this branch were not saved apart: what they changed is missing.'

/** The preset with pi's tools of this session in place of those of an installed pi. */
const withTools = (preset: Preset, tools: SessionTools): Preset =>
  ({ ...preset, plugins: preset.plugins.map(plugin => plugin.name === 'pi-tools' ? piToolsFrom(tools, plugin.options as object) : plugin) })

/** The preset with the place of this session in its tree of agents. */
const withHandover = (preset: Preset, handover: string | undefined): Preset => handover === undefined ? preset :
  ({ ...preset, plugins: preset.plugins.map(plugin => plugin.name === 'subagents' ? plugin.with({ handover }) : plugin) })

/** A child keeps its names where its own children are recorded, beside its parent's folder. */
function placeOf(handover: string): string {
  const { base, id } = readHandover(handover)
  return join(base, id)
}

/** A session without state whose branch began in another one starts with a copy of that; answers where to begin. */
async function inherit(ctx: ExtensionContext, folder: string): Promise<number | null> {
  if (hasState(folder)) return null
  const { mark }: BranchState = stateOfBranch(ctx.sessionManager.getBranch(), TOOL_NAME)
  if (mark === undefined) return null
  const from = stateFolder(ctx.cwd, mark.state)
  if (from === folder || !hasState(from)) return null
  await copyState(from, folder)
  return mark.generation
}
