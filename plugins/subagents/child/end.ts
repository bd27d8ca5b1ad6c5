import { setTimeout as sleep } from 'node:timers/promises'
import { descendants, type ProcessRow, processRows, signal } from './processes.ts'

/** How processes are listed and signalled; an argument, so that a test can have one that will not die. */
export interface Power {
  rows(): ProcessRow[]
  signal(target: number, name: NodeJS.Signals | 0): boolean
}
export const systemPower: Power = { rows: processRows, signal }

/** How long a killed process may take to vanish before it is reported as still alive. */
const KILL_WAIT_MS = 2_000
const LOOK_MS = 25

/**
 * Ends what a group leader started: TERM to its group, KILL to whatever is left after the grace period, looked at until
 * it is gone. Descendants in groups of their own (shells of the child's tools) are remembered before the first signal
 * and killed by their own start time. Answers with the pids that are still alive.
 */
export async function endGroup(leader: number, graceMs: number, power: Power = systemPower): Promise<number[]> {
  const before = power.rows()
  const family = [...before.filter(row => row.group === leader || row.pid === leader), ...descendants(leader, before)]
  power.signal(-leader, 'SIGTERM')
  await untilGone(leader, family, graceMs, power)
  for (const row of survivors(leader, family, power)) power.signal(row.pid, 'SIGKILL')
  power.signal(-leader, 'SIGKILL')
  await untilGone(leader, family, KILL_WAIT_MS, power)
  return [...new Set(survivors(leader, family, power).map(row => row.pid))]
}

async function untilGone(leader: number, family: readonly ProcessRow[], limitMs: number, power: Power): Promise<void> {
  const until = Date.now() + limitMs
  for (let pause = 5; Date.now() < until && survivors(leader, family, power).length > 0; pause = Math.min(LOOK_MS * 4, pause * 2)) await sleep(pause)
}

function survivors(leader: number, family: readonly ProcessRow[], power: Power): ProcessRow[] {
  return power.rows().filter(row => row.group === leader || family.some(known => known.pid === row.pid && known.start === row.start))
}

/** Live members of a group whose leader has ended. The cheap question first: mostly there are none. */
export function leftInGroup(leader: number, power: Power = systemPower): number[] {
  return power.signal(-leader, 0) ? power.rows().filter(row => row.group === leader).map(row => row.pid) : []
}
