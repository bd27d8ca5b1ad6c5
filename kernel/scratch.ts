import { createHash, randomBytes } from 'node:crypto'
import { readlinkSync, rmSync } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'pi-rlm-scratch-'
const NAME = new RegExp(`^${PREFIX}([0-9a-f]{8})-(\\d+)-[0-9a-f]{16}$`)

/** Folders of engines that have not ended. */
const open = new Set<string>()
process.on('exit', () => { for (const path of open) rmSync(path, { recursive: true, force: true }) })

/**
 * A path of an engine's own in the folder for temporary files; nothing is made there. Its name says whose it is, so
 * that a later host can remove what a killed one left.
 */
export function openScratch(): string {
  const path = join(tmpdir(), `${PREFIX}${machine()}-${process.pid}-${randomBytes(8).toString('hex')}`)
  open.add(path)
  return path
}

/** Removes what is at the path. */
export async function removeScratch(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  open.delete(path)
}

let sweeping: Promise<void> | undefined
/** Looks for folders that killed hosts left, once in a process. */
export function sweepOnce(): void { sweeping ??= sweepScratch() }

/** Removes the folders of hosts that are gone. A pid that another process has meanwhile keeps its folder for now: never too early. */
export async function sweepScratch(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  await Promise.all(names.map(async name => {
    const [, where, pid] = NAME.exec(name) ?? []
    if (pid === undefined || where !== machine() || alive(Number(pid))) return
    const path = join(tmpdir(), name)
    const found = await lstat(path).catch(() => null)
    if (found?.isDirectory() === true && found.uid === process.getuid?.()) await removeScratch(path)
  }))
}

/** Where a pid means something: this machine, and this space of process numbers. */
function machine(): string {
  let space = ''
  try { space = readlinkSync('/proc/self/ns/pid') } catch { /* the system has one space only */ }
  return createHash('sha256').update(`${hostname()} ${space}`).digest('hex').slice(0, 8)
}

function alive(pid: number): boolean {
  try { process.kill(pid, 0) } catch (error) { return (error as { code?: string }).code !== 'ESRCH' }
  return true
}
