import { RlmError } from '../../kernel/errors.ts'
import type { Environment } from './environment.ts'

/** What the environment asks for. */
export interface Settings {
  /** A preset's name or file; the default preset when absent. */
  readonly preset?: string
  /** Longest a cell may run, null for no limit. */
  readonly cellTimeoutMs: number | null
  /** What happens to the namespace when the user goes to another branch of the session. */
  readonly tree: 'restore' | 'keep'
}

const UNATTENDED_TIMEOUT_MS = 30 * 60_000
/** Longest time a timer takes. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

const badValue = (name: string, value: string, expected: string): RlmError =>
  new RlmError('BAD_SETTING', 'SettingError', `${name}='${value}' is not understood: ${expected}. Correct it or unset ${name}.`)

/** Whether pi was told to use the notebook without a flag. */
export function isForced(env: Environment): boolean {
  const value = env['PI_RLM_FORCE']
  if (value === undefined || ['', '0', 'false', 'no', 'off'].includes(value.toLowerCase())) return false
  if (['1', 'true', 'yes', 'on'].includes(value.toLowerCase())) return true
  throw badValue('PI_RLM_FORCE', value, 'it is 1 or 0')
}

/** Reads the settings; a value that does not parse is an error that names it. */
export function readSettings(env: Environment, attended: boolean): Settings {
  const preset = env['PI_RLM_PRESET']
  return { ...(preset !== undefined && preset !== '' && { preset }), cellTimeoutMs: cellTimeout(env['PI_RLM_CELL_TIMEOUT_MS'], attended), tree: treeSetting(env['PI_RLM_TREE']) }
}

function cellTimeout(value: string | undefined, attended: boolean): number | null {
  if (value === undefined || value === '') return attended ? null : UNATTENDED_TIMEOUT_MS
  if (value === '0' || value === 'off') return null
  if (!/^[1-9]\d*$/.test(value) || Number(value) > MAX_TIMEOUT_MS) throw badValue('PI_RLM_CELL_TIMEOUT_MS', value, `it is a whole number of milliseconds up to ${MAX_TIMEOUT_MS}, or 0 for no limit`)
  return Number(value)
}

function treeSetting(value: string | undefined): Settings['tree'] {
  if (value === undefined || value === '') return 'restore'
  if (value === 'restore' || value === 'keep') return value
  throw badValue('PI_RLM_TREE', value, 'it is \'restore\' or \'keep\'')
}
