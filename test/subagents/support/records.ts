import { identify, systemProcesses } from '../../../plugins/subagents/records/identity.ts'
import type { ChildRecord, SeenStatus } from '../../../plugins/subagents/records/record.ts'
import type { TreeNode } from '../../../plugins/subagents/records/tree.ts'

export const table = systemProcesses()
export const self = identify(process.pid, table) ?? { pid: process.pid, start: '', boot: '', host: '' }

/** A record with everything a record must have; parts of it can be replaced. */
export const record = (change: Partial<ChildRecord> = {}): ChildRecord => {
  const id = change.id ?? 'c-1'
  return {
    version: 1, id, name: id, task: 'do it', status: 'completed', depth: 1, spawn_cell_id: 'cell-1', agent: 'scripted', owner: self,
    model: { requested: null, chosen: null, actual: null }, created_at: 1, timeout_ms: 0, prompt_file: `/x/${id}.prompt.md`, output_file: `/x/${id}.md`, ...change,
  }
}

export const node = (change: Partial<ChildRecord> = {}, status: SeenStatus = change.status ?? 'completed', children: readonly TreeNode[] = []): TreeNode =>
  ({ record: record(change), status, children })

/** Numbers that look random and are the same in every run. */
export function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
