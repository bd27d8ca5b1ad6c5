import { renameSync } from 'node:fs'
import { type ChildPaths, replaceFile } from '../records/folder.ts'
import type { ChildRecord } from '../records/record.ts'
import { factsOf } from './facts.ts'
import { type Ended, type Ending, type Outcome, outcomeOf } from './outcome.ts'
import type { RunningChild } from './start.ts'

/** An end with what there is to say about how the child was cleared away. */
export type EndedWith = Ended & { readonly warnings: readonly string[] }

/** Puts the answer in its place and says what the last record holds. */
export function conclude(record: ChildRecord, end: EndedWith, ending: Ending | null, running: RunningChild | null, paths: ChildPaths): Partial<ChildRecord> {
  const { outcome, kept } = withAnswer(record, end, ending, paths)
  const warnings = [...end.warnings, ...outcome.status === 'completed' ? outcome.warnings : []]
  return {
    ...(end.progress !== undefined && factsOf(end.progress, record)),
    status: outcome.status,
    ...(outcome.status === 'error' && { reason: outcome.reason, message: outcome.message }),
    finished_at: Date.now(),
    output_bytes: end.bytes,
    ...(end.code !== null && { exit_code: end.code }),
    ...(end.signal !== null && { signal: end.signal }),
    ...(running !== null && running.stderr.bytes > 0 && { stderr_file: paths.stderr, stderr_bytes: running.stderr.bytes }),
    ...(kept !== undefined && { partial_file: kept }),
    ...(warnings.length > 0 && { warnings }),
  }
}

function withAnswer(record: ChildRecord, end: Ended, ending: Ending | null, paths: ChildPaths): { readonly outcome: Outcome; readonly kept: string | undefined } {
  const outcome = outcomeOf(end, ending, record.model.chosen)
  try {
    return { outcome, kept: keepAnswer(outcome.status === 'completed', end, paths) }
  } catch (cause) {
    return { outcome: { status: 'error', reason: 'failed', message: `its answer could not be written: ${(cause as Error).message}` }, kept: undefined }
  }
}

/** Puts the answer in its place in one step. Answers with the file of a partial one. */
function keepAnswer(whole: boolean, end: Ended, paths: ChildPaths): string | undefined {
  const place = whole ? paths.output : paths.partial
  if (!whole && end.bytes === 0) return undefined
  if (end.progress !== undefined || end.bytes === 0) replaceFile(place, end.progress?.answer ?? '')
  else renameSync(paths.spool, place)
  return whole ? undefined : place
}
