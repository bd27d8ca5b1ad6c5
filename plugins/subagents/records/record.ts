import type { Identity } from './identity.ts'

/** Where a child stands, as its own record says. */
export type Status = 'queued' | 'running' | 'completed' | 'error'
/** Where a child stands for a reader: its process may be gone, or on a machine that cannot be asked. */
export type SeenStatus = Status | 'lost' | 'unknown'

/** Why a child ended without completing; one word for each thing a reader would do next. */
export type Reason =
  /** Exit code other than 0, or a signal nobody here sent. */
  | 'crashed'
  /** It never came to life: no such command, or no sign of life in time. */
  | 'failed-to-start'
  /** Exit code 0 in the middle of its work. */
  | 'ended-early'
  /** The agent itself reported a failure. */
  | 'failed'
  /** Its wall time was over. */
  | 'timeout'
  /** It said nothing for longer than allowed. */
  | 'stalled'
  /** rlm.deleteSubagent. */
  | 'stopped'
  /** The session that started it ended. */
  | 'shutdown'
  /** The tree's token or cost budget was spent. */
  | 'budget'
  /** It ran on another model than the one chosen. */
  | 'wrong-model'
  /** Its answer outgrew the limit. */
  | 'too-large'

export interface Usage {
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write: number
  readonly cost: number
  /** Tokens in its window after the last turn; not a sum. */
  readonly context: number
  readonly turns: number
}

/**
 * One child, as its file says: `<id>.json` beside its answer. Field names are the same on disk, in
 * rlm.listSubagents() and on a handle. Times are milliseconds since 1970.
 */
export interface ChildRecord {
  readonly version: 1
  readonly id: string
  readonly name: string
  /** The beginning of the task; the whole is in `prompt_file`. */
  readonly task: string
  readonly status: Status
  readonly reason?: Reason
  /** What happened, in one line. */
  readonly message?: string
  /** 1 for a child of the root. */
  readonly depth: number
  /** Id of the cell that asked for it. */
  readonly spawn_cell_id: string
  readonly agent: string
  readonly model: { readonly requested: string | null; readonly chosen: string | null; readonly actual: string | null }
  /** The process that started it and writes this file. */
  readonly owner: Identity
  /** Its own process; absent before it runs. */
  readonly process?: Identity
  readonly created_at: number
  readonly started_at?: number
  readonly finished_at?: number
  readonly last_activity_at?: number
  /** What it did last, in a few words. */
  readonly activity?: string
  /** 0 when its wall time has no limit. */
  readonly timeout_ms: number
  readonly prompt_file: string
  /** Holds the final answer and nothing else; exists once the child is completed. */
  readonly output_file: string
  readonly output_bytes?: number
  /** What it had said when it ended without completing. */
  readonly partial_file?: string
  readonly stderr_file?: string
  readonly stderr_bytes?: number
  readonly exit_code?: number
  readonly signal?: string
  readonly usage?: Usage
  readonly warnings?: readonly string[]
  /** Set when rlm.deleteSubagent took it off the list. */
  readonly deleted_at?: number
}

const STATUSES: readonly string[] = ['queued', 'running', 'completed', 'error'] satisfies Status[]

/** Reads a record's text; undefined for anything that is not a whole record of this version. */
export function parseRecord(text: string): ChildRecord | undefined {
  let value: unknown
  try { value = JSON.parse(text) } catch { return undefined }
  return isRecord(value) ? value : undefined
}

const TEXTS = ['id', 'name', 'task', 'spawn_cell_id', 'agent', 'prompt_file', 'output_file'] as const
const NUMBERS = ['created_at', 'depth', 'timeout_ms'] as const
const MAYBE_TEXTS = ['reason', 'message', 'activity', 'partial_file', 'stderr_file', 'signal'] as const
const MAYBE_NUMBERS = ['started_at', 'finished_at', 'last_activity_at', 'output_bytes', 'stderr_bytes', 'exit_code', 'deleted_at'] as const

function isRecord(value: unknown): value is ChildRecord {
  if (!isObject(value)) return false
  const is = (type: string, names: readonly string[], optional = false) => names.every(name => typeof value[name] === type || (optional && value[name] === undefined))
  return value['version'] === 1 && STATUSES.includes(value['status'] as string)
    && is('string', TEXTS) && is('number', NUMBERS) && is('string', MAYBE_TEXTS, true) && is('number', MAYBE_NUMBERS, true)
    && isObject(value['owner']) && isObject(value['model']) && [value['process'], value['usage']].every(part => part === undefined || isObject(part))
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Whether the child will not change any more. */
export const isSettled = (status: SeenStatus): boolean => status !== 'queued' && status !== 'running'

/** How long it ran, or runs, in milliseconds; 0 before it started. */
export const durationOf = (record: ChildRecord, now: number): number =>
  record.started_at === undefined ? 0 : Math.max(0, (record.finished_at ?? now) - record.started_at)
