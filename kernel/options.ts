import { statSync } from 'node:fs'
import { badArgument } from './errors.ts'
import type { Plugin, Preset } from './plugin.ts'

/** What an engine is made from. */
export interface EngineOptions {
  readonly preset: Preset
  /** Appended to the preset's list. */
  readonly plugins?: readonly Plugin[]
  /** Settings by plugin name, checked by each plugin's schema. */
  readonly options?: Readonly<Record<string, unknown>>
  /** Working directory of the guest; default: the host's. */
  readonly cwd?: string
  /** Environment of the guest; default: the host's. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Where state is kept; none: nothing is kept on disk. */
  readonly snapshot?: { readonly path: string }
  /** Milliseconds a guest may take to become ready. */
  readonly startTimeoutMs?: number
  /** Milliseconds a cancelled cell has to answer before the guest counts as wedged. */
  readonly abortGraceMs?: number
  /** Milliseconds a wedged guest has to answer before a call is refused. */
  readonly pingTimeoutMs?: number
  /** What plugins keep beyond one engine; a supervisor hands its own to each. */
  readonly kept?: Map<string, unknown>
  /** Number of the first cell; a supervisor goes on counting. */
  readonly firstCell?: number
}

export interface CheckedOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly statePath: string | null
  readonly startTimeoutMs: number
  readonly abortGraceMs: number
  readonly pingTimeoutMs: number
}

/** Fills defaults and refuses what cannot work, by name. */
export function checkOptions(options: EngineOptions): CheckedOptions {
  const cwd = options.cwd ?? process.cwd()
  const found = statSync(cwd, { throwIfNoEntry: false })
  if (found === undefined) throw badArgument(`cwd '${cwd}' does not exist`)
  if (!found.isDirectory()) throw badArgument(`cwd '${cwd}' is not a directory`)
  const given: Readonly<Record<string, string | undefined>> = options.env ?? process.env
  return {
    cwd,
    env: Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    statePath: options.snapshot?.path ?? null,
    startTimeoutMs: positive('startTimeoutMs', options.startTimeoutMs, 10_000),
    abortGraceMs: positive('abortGraceMs', options.abortGraceMs, 500),
    pingTimeoutMs: positive('pingTimeoutMs', options.pingTimeoutMs, 5_000),
  }
}

function positive(name: string, value: number | undefined, otherwise: number): number {
  if (value === undefined) return otherwise
  if (!Number.isFinite(value) || value <= 0) throw badArgument(`${name} must be a positive number of milliseconds, got ${value}`)
  return value
}
