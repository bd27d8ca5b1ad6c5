import { liveness, type ProcessTable } from './identity.ts'
import type { ChildRecord, SeenStatus } from './record.ts'

/** A child as a reader sees it now. */
export interface ChildView { readonly record: ChildRecord; readonly status: SeenStatus }

/**
 * What a record means now. A queued or running record whose process is gone reads as `lost`; the file stays as it
 * is, because only its owner may say more. A record of another machine cannot be judged from here.
 */
export function seenStatus(record: ChildRecord, table: ProcessTable): SeenStatus {
  if (record.status === 'completed' || record.status === 'error') return record.status
  // Before the child's own process is known, its owner answers for it.
  switch (liveness(record.process ?? record.owner, table)) {
    case 'alive': return record.status
    case 'gone': return 'lost'
    case 'other-host': return 'unknown'
  }
}
