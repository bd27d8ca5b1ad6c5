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

function isRecord(value: unknown): value is ChildRecord {
  if (typeof value !== 'object' || value === null) return false
  const record = value as Partial<Record<keyof ChildRecord, unknown>>
  const texts = [record.id, record.name, record.task, record.spawn_cell_id, record.output_file, record.prompt_file]
  return record.version === 1 && texts.every(text => typeof text === 'string') && STATUSES.includes(record.status as string)
    && typeof record.created_at === 'number' && typeof record.depth === 'number'
    && typeof record.owner === 'object' && record.owner !== null && typeof record.model === 'object' && record.model !== null
}

/** Whether the child will not change any more. */
export const isSettled = (status: SeenStatus): boolean => status !== 'queued' && status !== 'running'

/** How long it ran, or runs, in milliseconds; 0 before it started. */
export const durationOf = (record: ChildRecord, now: number): number =>
  record.started_at === undefined ? 0 : Math.max(0, (record.finished_at ?? now) - record.started_at)
