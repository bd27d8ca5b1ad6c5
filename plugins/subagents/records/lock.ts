import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Identity, liveness, type ProcessTable } from './identity.ts'

/** How long a decision may wait for the other processes of the tree. */
const LOCK_WAIT_MS = 10_000

/**
 * Runs `work` while no other process of the tree does: admissions and starts are counted on disk, so counting and
 * writing must be one step. `work` is synchronous and takes milliseconds.
 */
export async function locked<T>(path: string, self: Identity, table: ProcessTable, work: () => T): Promise<T> {
  const until = Date.now() + LOCK_WAIT_MS
  while (!take(path, self)) {
    clearStale(path, table)
    if (Date.now() > until) throw new Error(`the lock ${path} is held by another process for more than ${LOCK_WAIT_MS / 1000} s; end that process or remove the file`)
    await sleep(2 + Math.random() * 8)
  }
  try { return work() } finally { rmSync(path, { force: true }) }
}

/** The lock appears with its content: a link to a finished file either succeeds or the name is taken. */
function take(path: string, self: Identity): boolean {
  const own = besides(path)
  writeFileSync(own, JSON.stringify(self), { mode: 0o600 })
  try {
    linkSync(own, path)
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw cause
  } finally { rmSync(own, { force: true }) }
}

/** Removes the lock of a process that is gone; a younger lock that was caught by mistake is put back. */
function clearStale(path: string, table: ProcessTable): void {
  const aside = besides(path)
  try {
    if (!isStale(path, table)) return
    renameSync(path, aside)
    if (!isStale(aside, table)) linkSync(aside, path)
  } catch { /* someone else was faster */ } finally { rmSync(aside, { force: true }) }
}

const isStale = (path: string, table: ProcessTable): boolean =>
  liveness(JSON.parse(readFileSync(path, 'utf8')) as Identity, table) === 'gone'

const besides = (path: string): string => `${path}.${process.pid}-${randomBytes(4).toString('hex')}`
