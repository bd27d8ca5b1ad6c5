import type { ChildRecord } from '../records/record.ts'
import type { Ending } from './outcome.ts'
import type { RunningChild } from './start.ts'

/** Times a child may take, in milliseconds; 0 switches one off. */
export interface Patience { readonly startMs: number; readonly stallMs: number }

/** Why a running child is to end now, if it is: its wall time, its silence, or that it never came to life. */
export function overdue(record: ChildRecord, running: RunningChild, { startMs, stallMs }: Patience, now: number): Ending | undefined {
  const silent = now - (record.last_activity_at ?? now)
  const age = now - (record.started_at ?? now)
  if (record.timeout_ms > 0 && age >= record.timeout_ms) return { reason: 'timeout', message: `stopped after ${record.timeout_ms} ms, its wall time` }
  if (stallMs > 0 && silent >= stallMs) return { reason: 'stalled', message: `stopped after ${stallMs} ms without a sign of life` }
  if (startMs > 0 && age >= startMs && isLifeless(running)) return { reason: 'failed-to-start', message: `no sign of life within ${startMs} ms${lastLine(running)}` }
  return undefined
}

/** Of an agent that sends events none has come yet. */
function isLifeless({ reader }: RunningChild): boolean {
  const progress = reader?.progress()
  return progress !== undefined && progress.activity === undefined
}

function lastLine(running: RunningChild): string {
  const line = running.stderr.lastText().trim().split('\n').at(-1) ?? ''
  return line === '' ? '' : `: ${line}`
}
