import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineSupervisor } from '../../kernel/index.ts'

/** How long a guest that is stuck may come to itself, in milliseconds. */
const PATIENCE_MS = 5_000
const LOOK_MS = 50

/** A question to a stuck guest would wait for ever: gives it time, then goes on with a new guest from the last save. */
export async function unwedge(supervisor: EngineSupervisor): Promise<void> {
  const stuck = (): boolean => supervisor.current?.isWedged === true
  for (let waited = 0; stuck() && waited < PATIENCE_MS; waited += LOOK_MS) await sleep(LOOK_MS)
  if (stuck()) supervisor.restart('a cell ran synchronous code that cannot be interrupted, so its guest was ended')
}
