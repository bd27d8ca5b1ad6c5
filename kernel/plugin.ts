import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Guest } from '../guest/guest.ts'
import type { CellSource, HalfRef, Json, NameEntry, SnapshotReport } from '../guest/protocol.ts'
import { badOptions } from './errors.ts'
import type { HostHooks, SpawnPlan } from './hooks.ts'
import { checkPreset } from './preset-check.ts'
import type { Image } from './result.ts'

/** What a host method knows of the call it answers. */
export interface CallContext {
  readonly cell: CellSource
  /** Fires when the cell is cancelled or the engine ends. */
  readonly signal: AbortSignal
  /** Holds an image on the host and attaches it to this cell's result; it never crosses to the guest. */
  attach(image: Image): void
}

/** A call that the host answers, as data: `params` is the schema of its one object argument. */
export interface HostMethod<Params extends TSchema = TSchema> {
  readonly handle: string
  readonly name: string
  readonly description?: string
  readonly params: Params
  /** Whether a continuation whose cell is over may still call it. */
  readonly late?: boolean
  run(args: Static<Params>, context: CallContext): Promise<Json> | Json
}

/** Starts child agents; one per preset. The child gets its prompt on stdin; its stdout is the answer unless `read` says otherwise. */
export interface ChildAgent {
  readonly name: string
  /** How the child is started; the hook `onSpawn` may shape it. */
  plan(request: ChildRequest): Promise<SpawnPlan> | SpawnPlan
  /** Which model a request means, asked at admission; absent: every name passes. */
  model?(requested: string | undefined): Promise<ModelChoice> | ModelChoice
  /** Reads one child's stdout when it is a stream of events rather than the answer. */
  read?(): ChildReader
  /** Whether a start that failed before any work may be tried once more. */
  transient?(stderr: string): boolean
  /** Least time between two starts, for agents that fight over their own files. */
  readonly startGapMs?: number
  /** One model call without a process. */
  ask?(request: AskRequest): Promise<AskReply>
}
export interface ChildRequest {
  readonly id: string
  readonly model?: string
  readonly depth: number
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly answerPath: string
  /** A file that tells a child of the same kind its id, its depth and the limits of the tree; its path is all that must be handed on. */
  readonly handoverPath: string
}
/** A model with the size of its window in tokens, where known; `model: null` leaves the choice to the agent. */
export type ModelChoice = { readonly model: string | null; readonly window?: number } | { readonly refused: string }

export interface TokenUsage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly cost: number
  /** Tokens in the window after the last turn; not a sum. */
  readonly context: number
  readonly turns: number
}
/** What is known of a child from its event stream so far. */
export interface ChildProgress {
  readonly answer: string
  /** Whether the agent said that it was done. */
  readonly ended: boolean
  readonly error?: string
  readonly model?: string
  readonly usage?: TokenUsage
  readonly activity?: string
}
export interface ChildReader {
  write(chunk: Uint8Array): void
  progress(): ChildProgress
}
export interface AskRequest { readonly prompt: string; readonly model?: string; readonly signal: AbortSignal }
export interface AskReply { readonly text: string; readonly model?: string; readonly usage?: TokenUsage }

/** What a plugin's host half is given, once per engine. */
export interface Host {
  readonly hooks: HostHooks
  /** Aborted when the engine ends; clean up on it. */
  readonly signal: AbortSignal
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Where this session's state is kept, null when nothing is. */
  readonly statePath: string | null
  /** What outlives this engine: one map for all engines of a supervisor, by plugin name. What has `Symbol.asyncDispose` ends with its owner. */
  readonly kept: Map<string, unknown>
  method<Params extends TSchema>(method: HostMethod<Params>): void
  /** Every method of every plugin, for prompts and signatures. */
  methods(): readonly HostMethod[]
  childAgent(agent: ChildAgent): void
  agent(): ChildAgent | undefined
  /** Saves at the next cell boundary. */
  save(): Promise<SnapshotReport>
  names(): Promise<readonly NameEntry[]>
  /** A line with the next result. */
  notice(text: string): void
  /** Work that dispose waits for, within its time limit: a last save, children to be stopped. */
  onDispose(task: () => Promise<void>): void
  /** Called when names were touched outside a cell. */
  onTouched(task: () => void): void
}

/** A guest half's address, typed by the options that half takes. */
export interface GuestHalfRef<in Options> { readonly url: string; readonly takes?: (options: Options) => void }
type OptionsOf<Half> = Half extends (guest: Guest, options: infer Options) => unknown ? Options : never

/** Names the guest half beside the calling module; the extension is the caller's own (`.ts` in source, `.js` compiled). */
export function guestHalf<Half>(caller: string, path: string): GuestHalfRef<OptionsOf<Half>> {
  const extension = /\.[cm]?[jt]s$/.exec(new URL(caller).pathname)?.[0] ?? '.js'
  return { url: new URL(path + extension, caller).href }
}

export interface Plugin {
  readonly name: string
  /** The options after defaults and checks. */
  readonly options: Json
  readonly guest?: HalfRef
  apply(host: Host): void
  /** The same plugin with other options, checked by its schema. */
  with(options: unknown): Plugin
}

export interface PluginSpec<Schema extends TObject> {
  readonly name: string
  readonly options?: Schema
  readonly host?: (host: Host, options: Static<Schema>) => void
  readonly guest?: GuestHalfRef<Static<Schema>>
}

const NONE = Type.Object({})

/** Makes a plugin's factory: options are checked when it is called, defaults filled, unknown keys refused. */
export function definePlugin<Schema extends TObject = typeof NONE>(spec: PluginSpec<Schema>): (options?: Partial<Static<Schema>>) => Plugin {
  const schema = Type.Object((spec.options ?? NONE).properties, { additionalProperties: false })
  const make = (given: unknown): Plugin => {
    const options = checked(spec.name, schema, given) as Static<Schema>
    return Object.freeze({
      name: spec.name,
      options: options as Json,
      ...(spec.guest && { guest: { name: spec.name, url: spec.guest.url, options: options as Json } }),
      apply: (host: Host) => spec.host?.(host, options),
      with: (more: unknown) => make({ ...(given as object), ...asObject(spec.name, more) }),
    })
  }
  return Object.defineProperty((options = {}) => make(options), 'name', { value: spec.name })
}

function asObject(plugin: string, given: unknown): object {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw badOptions(plugin, `must be an object, got ${JSON.stringify(given)}`)
  return given
}

function checked(plugin: string, schema: TObject, given: unknown): unknown {
  const options = Value.Default(schema, Value.Clone(asObject(plugin, given)))
  // A stranger is told twice; the first time, as "schema is false", without its name.
  const problem = Value.Errors(schema, options).find(({ keyword }) => keyword !== 'boolean')
  if (problem === undefined) return options
  const unknown = (problem.params as { additionalProperties?: readonly string[] }).additionalProperties
  const path = problem.instancePath.replaceAll('/', '.').replace(/^\./, '')
  if (unknown !== undefined) throw badOptions(plugin, `unknown option '${unknown.join('\', \'')}'; known: ${Object.keys(schema.properties).join(', ') || 'none'}`)
  throw badOptions(plugin, `'${path}' ${problem.message}`)
}

/** A program that can be a guest. */
export interface GuestRuntime {
  readonly name: string
  /** The first spawn plan; throws `RUNTIME_MISSING` when the program cannot be found. */
  plan(request: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }): Promise<SpawnPlan> | SpawnPlan
  /** The module this runtime loads for a half's URL. */
  resolve(url: string): string
  /** Why a started program of this version cannot be used, if so. */
  refuses?(version: string): string | undefined
}

/** One list: its order is the order, in both processes. */
export interface Preset { readonly name: string; readonly runtime: GuestRuntime; readonly plugins: readonly Plugin[] }

/** Checks and freezes a preset. */
export function definePreset(preset: Preset): Preset {
  checkPreset(preset)
  return Object.freeze({ ...preset, plugins: Object.freeze([...preset.plugins]) })
}
