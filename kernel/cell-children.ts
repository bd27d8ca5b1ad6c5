import type { CellJob } from './job.ts'
import { endCell } from './processes.ts'
import { activeTimer } from './timer.ts'

/** Share of the grace period that a guest has to hear of a cancel, before the host ends the cell's children itself. */
const HEARD_SHARE = 1 / 3

/**
 * Ends the children of a cancelled cell from the host, too: a guest that waits for one in synchronous code cannot. One that
 * does not wait so must hear of the cancel before a child's end lets the cell go on.
 */
export function endChildrenOf(job: CellJob, tag: string, graceMs: number): void {
  let ending = false
  const end = (): void => {
    if (!ending) endCell(tag, job.cell.number).catch(() => {})
    ending = true
  }
  job.whenSettled(end)
  job.whenSettled(activeTimer(graceMs * HEARD_SHARE, end))
}
