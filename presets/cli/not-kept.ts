import type { EngineSupervisor, SnapshotReport } from '../../kernel/index.ts'
import { notKept } from '../../kernel/reset-notice.ts'
import { within } from '../../kernel/timer.ts'
import { type Io, write } from './io.ts'
import { plain } from './plain.ts'

/** A guest that does not answer by then is left to the end of the notebook. */
const ANSWER_MS = 2_000

/** At the end of a session: saves, and says on standard error what could not be kept, while there is still time to keep it otherwise. */
export async function tellNotKept(supervisor: EngineSupervisor, io: Pick<Io, 'stderr'>): Promise<void> {
  const engine = supervisor.current
  if (engine?.isRunning !== true) return
  const answers: SnapshotReport[] = []
  // A save that fails, or a folder that another session holds, was told with the cells.
  await within(ANSWER_MS, engine.snapshotState().then(report => { answers.push(report) }))
  for (const line of answers.flatMap(report => notKept(report, supervisor.lastRestore))) await write(io.stderr, `${plain(line)}\n`)
}
