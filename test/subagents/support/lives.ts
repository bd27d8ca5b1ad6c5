import { readFileSync } from 'node:fs'
import { processRows } from '../../../plugins/subagents/child/processes.ts'
import type { ChildRecord } from '../../../plugins/subagents/records/record.ts'
import type { Bench } from './fake-host.ts'

export const never = new AbortController().signal

/** Admits a child and waits for its end. */
export async function finished(kids: Bench, task: string, more: object = {}): Promise<ChildRecord> {
  const { record } = await kids.family.admit({ task, cell: 'cell-1', ...more })
  return ended(kids, record.id)
}

/** Waits for the end of a child. */
export async function ended(kids: Bench, key: string): Promise<ChildRecord> {
  const [view] = await kids.family.wait([key], false, 0, never)
  if (view === undefined) throw new Error('no view')
  return view.record
}

export const lives = (pid: number | undefined): boolean => processRows().some(row => row.pid === pid)
export const answerOf = (record: ChildRecord): string => readFileSync(record.output_file, 'utf8')
