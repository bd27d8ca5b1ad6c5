import { type CellDetails, sectionsIn } from '../shown.ts'
import type { Tail } from '../stream.ts'
import type { CellStatus, CellView, Section } from './layout.ts'

/** What an update of a running cell carries beside its text. */
export interface RunningDetails extends Pick<Tail, 'lines' | 'sections'> { readonly running: true }
export type Details = RunningDetails | CellDetails

/** A result or an update as pi hands it to a renderer. */
export interface Given { readonly content: readonly { readonly type: string; readonly text?: string }[]; readonly details?: unknown }

/** What is known of a call beside its result. */
export interface Progress {
  readonly code: string
  readonly argsComplete: boolean
  readonly started: boolean
  readonly partial: boolean
  readonly failed: boolean
  readonly elapsedMs?: number
}

/** Joins what pi says about a call and what came of it into what is to be seen. */
export function viewOf(given: Given | undefined, progress: Progress): CellView {
  const { code, elapsedMs } = progress
  const text = (given?.content ?? []).map(block => block.text ?? '').join('')
  const details = given?.details as Partial<Details> | undefined
  if (given === undefined || progress.partial) {
    const running = isRunning(details) ? details : { sections: [], lines: 0 }
    return { status: waiting(progress), code, sections: running.sections, linesOut: running.lines, ...(progress.started && elapsedMs !== undefined && { durationMs: elapsedMs }) }
  }
  if (!isFinished(details)) return { status: progress.failed ? 'error' : 'ok', code, sections: plainSection(text, progress.failed) }
  const { durationMs, errorName, cut } = details
  return { status: STATUS[details.status], code, sections: sectionsIn(text, details), durationMs, ...(errorName !== undefined && { errorName }), ...(cut === true && { cut }) }
}

const STATUS: Readonly<Record<CellDetails['status'], CellStatus>> = { ok: 'ok', error: 'error', aborted: 'cancelled' }

const waiting = ({ started, argsComplete }: Progress): CellStatus => started ? 'running' : argsComplete ? 'waiting' : 'writing'

const isRunning = (details: Partial<Details> | undefined): details is RunningDetails => details !== undefined && 'running' in details && Array.isArray(details.sections)

const isFinished = (details: Partial<Details> | undefined): details is CellDetails => details !== undefined && 'spans' in details && Array.isArray(details.spans)

/** A result that is not ours: another extension blocked the call, or the transcript is of another version. */
const plainSection = (text: string, failed: boolean): Section[] => text === '' ? [] : [{ kind: failed ? 'error' : 'stdout', text }]
