import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { endGroup } from './child/end.ts'
import type { Life } from './child/life.ts'
import type { ChildView } from './records/status.ts'
import { problem } from './limits.ts'
import type { RecordFolder } from './records/folder.ts'
import { liveness, type ProcessTable } from './records/identity.ts'
import { type ChildRecord, isSettled } from './records/record.ts'

/** How often it is looked whether the owner has answered. */
const LOOK_MS = 50
/** An owner looks twice a second for who is to be stopped. */
const UNHEARD_MS = 1_500
/** What an owner may need from the exit of a child's process to its last record. */
const LAST_RECORD_MS = 4_000

/** What removing needs of a family. */
export interface Holder {
  readonly folder: RecordFolder
  readonly table: ProcessTable
  readonly settings: { readonly graceMs: number }
  find(key: string): ChildView
  hasOwner(record: ChildRecord): boolean
}

/** Ends a live child; takes one that has ended off the list. `life` is the child's, when this process looks after it. */
export async function removeChild(family: Holder, { record, status }: ChildView, life: Life | undefined): Promise<ChildView> {
  if (life !== undefined && life.record.finished_at === undefined) {
    const alive = await life.end({ reason: 'stopped', message: 'stopped by rlm.deleteSubagent' })
    if (alive.length > 0) throw problem('CHILD_ALIVE', `child '${record.name}' did not end: process ${alive.join(', ')} survived KILL. Delete it again to try again.`)
    return family.find(record.id)
  }
  if (status === 'unknown') throw problem('OTHER_HOST', `child '${record.name}' belongs to another machine (${record.owner.host}); delete it there`)
  if (!isSettled(status)) return askOwner(family, record)
  // Its owner may be about to write how it ended.
  if (status === 'lost' && family.hasOwner(record)) await untilOver(family, record, Date.now() + LAST_RECORD_MS)
  const { record: last } = family.find(record.id)
  if (last.deleted_at === undefined) family.folder.write({ ...last, deleted_at: Date.now() })
  return family.find(record.id)
}

/** Another instance of this process looks after it (before a reload): it is asked, because only the owner writes its end. */
async function askOwner(family: Holder, record: ChildRecord): Promise<ChildView> {
  if (!family.hasOwner(record)) return endLeftover(family, record)
  if (record.owner.pid !== process.pid) throw problem('OTHER_OWNER', `child '${record.name}' belongs to another session (process ${record.owner.pid}); delete it there`)
  const { stop } = family.folder.paths(record.id)
  writeFileSync(stop, '', { mode: 0o600 })
  const heard = await untilOver(family, record, Date.now() + UNHEARD_MS, () => !existsSync(stop))
  if (!heard) {
    rmSync(stop, { force: true })
    throw problem('NO_OWNER', `nothing in this process looks after child '${record.name}' any more; its record says ${record.status}`)
  }
  await untilOver(family, record, Date.now() + family.settings.graceMs + LAST_RECORD_MS)
  rmSync(stop, { force: true })
  return family.find(record.id)
}

/** Looks until the child has ended, or something else has happened; false when the time is over first. */
async function untilOver(family: Holder, { id }: ChildRecord, until: number, other: () => boolean = () => false): Promise<boolean> {
  for (;;) {
    const { record, status } = family.find(id)
    if (other() || (isSettled(status) && (status !== 'lost' || !family.hasOwner(record)))) return true
    if (Date.now() >= until) return false
    await sleep(LOOK_MS)
  }
}

/** Its owner died and it lives on: the start time in its record says that this is the very process. */
async function endLeftover(family: Holder, record: ChildRecord): Promise<ChildView> {
  if (record.process !== undefined && liveness(record.process, family.table) === 'alive') await endGroup(record.process.pid, family.settings.graceMs)
  return family.find(record.id)
}
