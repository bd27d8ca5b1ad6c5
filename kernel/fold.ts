import type { CellEnd, Channel, ChannelEnd } from '../guest/protocol.ts'
import type { CellResult, CutChannel, Image } from './result.ts'

/** What is known of a cell so far: a fold over its frames, and nothing else. */
export interface Folding {
  readonly stdout: string
  readonly stderr: string
  readonly cut: { readonly stdout?: CutChannel; readonly stderr?: CutChannel }
  readonly end: CellEnd | null
}

export const EMPTY: Folding = { stdout: '', stderr: '', cut: {}, end: null }

/** Adds text that the output hook let through. */
export function withText(folding: Folding, channel: Channel, text: string): Folding {
  return { ...folding, [channel]: folding[channel] + text }
}

/** Notes the true totals of a channel that was cut in the guest. */
export function withEnd(folding: Folding, channel: Channel, { total, spill, partial }: ChannelEnd): Folding {
  return { ...folding, cut: { ...folding.cut, [channel]: { total, ...(spill !== undefined && { spill }), ...(partial !== undefined && { partial }) } } }
}

export type Outcome =
  | { readonly type: 'ended'; readonly end: CellEnd }
  | { readonly type: 'aborted' }
  | { readonly type: 'timeout'; readonly afterMs: number; readonly wedged: boolean }

export interface ResultFacts {
  readonly cell: { readonly id: string; readonly number: number }
  readonly durationMs: number
  readonly images: readonly Image[]
  readonly notices: readonly string[]
  readonly late: CellResult['late']
}

/** The public result of a cell; the status follows from the outcome alone. */
export function toResult(folding: Folding, outcome: Outcome, facts: ResultFacts): CellResult {
  const base = { ...facts, stdout: folding.stdout, stderr: folding.stderr, ...cutOf(folding, outcome) }
  switch (outcome.type) {
    case 'aborted': return { ...base, status: 'aborted' }
    case 'timeout': return { ...base, status: 'error', error: timeoutError(outcome) }
    case 'ended': return { ...base, ...ended(outcome.end) }
  }
}

function ended(end: CellEnd): Pick<CellResult, 'status' | 'result' | 'value' | 'error'> {
  switch (end.type) {
    case 'done': return { status: 'ok', ...(end.shown !== null && { result: end.shown }), ...(end.json !== undefined && { value: JSON.parse(end.json) as unknown }) }
    case 'threw': return { status: 'error', error: end.error }
    case 'aborted': return { status: 'aborted' }
  }
}

function cutOf({ cut }: Folding, outcome: Outcome): Pick<CellResult, 'cut'> {
  const result = outcome.type === 'ended' && outcome.end.type === 'done' ? outcome.end.cut : undefined
  const all = { ...cut, ...(result !== undefined && { result }) }
  return Object.keys(all).length === 0 ? {} : { cut: all }
}

function timeoutError({ afterMs, wedged }: { readonly afterMs: number; readonly wedged: boolean }): NonNullable<CellResult['error']> {
  const message = `The cell ran longer than its limit of ${afterMs} ms and was cancelled.`
    + (wedged ? ' It runs synchronous code that cannot be interrupted; the notebook is restarted from its last snapshot at the next call.' : ' The namespace is kept.')
  return { name: 'CellTimeout', code: 'CELL_TIMEOUT', message, stack: [] }
}
