import type { EngineSupervisor } from '../../kernel/index.ts'
import { notKept } from '../../kernel/reset-notice.ts'
import { type Io, write } from './io.ts'
import { plain } from './plain.ts'

/** A guest that does not answer by then is left to the end of the notebook. */
const ANSWER_MS = 2_000

/** At the end of a session: saves, and says on standard error what could not be kept, while there is still time to keep it otherwise. */
export async function tellNotKept(supervisor: EngineSupervisor, io: Pick<Io, 'stderr'>): Promise<void> {
  const engine = supervisor.current
  if (engine?.isRunning !== true) return
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>(resolve => { timer = setTimeout(() => { resolve(null) }, ANSWER_MS) })
  try {
    // A save that fails, or a folder that another session holds, was told with the cells.
    const report = await Promise.race([engine.snapshotState().catch(() => null), late])
    const lines = report === null ? [] : notKept(report, supervisor.lastRestore)
    for (const line of lines) await write(io.stderr, `${plain(line)}\n`)
  } finally { clearTimeout(timer) }
}
