import { misuse } from './misuse.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What the environment sets for the command line. */
export interface Settings {
  readonly preset: string | undefined
  /** Longest a cell may run in milliseconds; null: as long as it takes. */
  readonly cellTimeoutMs: number | null
}

/** Limit of a cell that nobody watches, when none is set. */
const UNATTENDED_TIMEOUT_MS = 30 * 60_000
/** Longest time a timer takes. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

interface Variable {
  readonly name: string
  readonly expected: string
  readonly fits: (value: string) => boolean
}

/** Every variable that steers a notebook, with the values it takes; one that is set to nothing counts as not set. */
export const VARIABLES: readonly Variable[] = [
  { name: 'PI_RLM_PRESET', expected: 'the name of a preset or the path of a module that exports one', fits: () => true },
  { name: 'PI_RLM_CELL_TIMEOUT_MS', expected: `a whole number of milliseconds up to ${MAX_TIMEOUT_MS}, or 0 for no limit`, fits: value => value === 'off' || (/^(0|[1-9]\d*)$/.test(value) && Number(value) <= MAX_TIMEOUT_MS) },
  { name: 'PI_RLM_MAX_DEPTH', expected: 'a whole number from 0 to 999', fits: value => /^\d{1,3}$/.test(value) },
  { name: 'PI_RLM_FORCE', expected: '1 or 0', fits: value => /^(1|0|true|false|yes|no|on|off)$/i.test(value) },
  { name: 'PI_RLM_SUBAGENT_MODEL', expected: 'the name of a model', fits: value => value.trim() !== '' },
  { name: 'PI_RLM_NPM_CACHE_DIR', expected: 'the path of a folder', fits: value => value.trim() !== '' },
]

/** Why a variable cannot be used; undefined when it can, or is not set. */
export function problemOf({ name, expected, fits }: Variable, env: Environment): string | undefined {
  const value = env[name]
  return value === undefined || value === '' || fits(value) ? undefined : `${name} is '${value}'; it must be ${expected}. Correct it, or unset ${name}.`
}

/** Reads the environment; a value that does not parse is an error that names it, never a limit silently removed. */
export function readEnvironment(env: Environment, attended: boolean): Settings {
  for (const variable of VARIABLES) {
    const problem = problemOf(variable, env)
    if (problem !== undefined) throw misuse(problem)
  }
  return { preset: env['PI_RLM_PRESET'] === '' ? undefined : env['PI_RLM_PRESET'], cellTimeoutMs: cellTimeout(env['PI_RLM_CELL_TIMEOUT_MS'], attended) }
}

function cellTimeout(value: string | undefined, attended: boolean): number | null {
  if (value === undefined || value === '') return attended ? null : UNATTENDED_TIMEOUT_MS
  return value === 'off' || value === '0' ? null : Number(value)
}
