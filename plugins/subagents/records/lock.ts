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

/**
 * The lock appears with its content: a link to a finished file either succeeds or the name is taken. That file stays,
 * since the same process takes the lock many times.
 */
function take(path: string, self: Identity): boolean {
  const card = `${path}.${self.pid}-${self.start.replace(/\W+/g, '_')}`
  try {
    linkSync(card, path)
    return true
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (code !== 'ENOENT') throw cause
    writeFileSync(card, JSON.stringify(self), { mode: 0o600, flag: 'wx' })
    return take(path, self)
  }
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
