import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type Disk, writeAll } from './disk.ts'
import { bytesOf, now, parse, stringify } from './safe.ts'

/** Who writes a state folder. */
export interface Owner { readonly pid: number; readonly started: string; readonly boot: string; readonly host: string; readonly at: number }

/** Where the facts about processes come from; an argument for tests. */
export interface Machine { self(): Omit<Owner, 'at'>; started(pid: number): string | undefined }

const readText = (path: string): string | undefined => { try { return readFileSync(path, 'utf8').trim() } catch { return undefined } }
const alive = process.kill.bind(process)

/** The start time of a process in clock ticks, `unknown` where that cannot be told, undefined when it is gone. */
function started(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  if (stat !== undefined) {
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
  }
  try {
    alive(pid, 0)
    return 'unknown'
  } catch (error) { return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'unknown' : undefined }
}

/** This process on this machine. */
export const realMachine: Machine = {
  self: () => ({ pid: process.pid, started: started(process.pid) ?? 'unknown', boot: readText('/proc/sys/kernel/random/boot_id') ?? 'unknown', host: hostname() }),
  started,
}

/** Its owner touches a lock this often. */
export const LOCK_BEAT_MS = 60_000
/** Untouched for so long, a lock whose process cannot be looked up (another host, another container) counts as left behind. */
const LOCK_STALE_MS = 5 * LOCK_BEAT_MS

/** Takes the lock; answers who has it when somebody does. */
export function takeLock(disk: Disk, folder: string, machine: Machine = realMachine): Owner | null {
  const path = join(folder, 'lock')
  const self = machine.self()
  const mine = `${path}.${self.pid}`
  writeWhole(disk, mine, bytesOf(stringify({ ...self, at: now() })))
  try {
    for (let tries = 0; tries < 3; tries++) {
      const owner = ownerOf(disk, path)
      if (owner !== undefined && isSame(owner, self)) return null
      if (owner !== undefined && holds(owner, self, machine, disk.stat(path)?.changed ?? 0)) return owner
      disk.remove(path)
      try {
        disk.link(mine, path)
        return null
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
    }
    return ownerOf(disk, path) ?? { ...self, at: now() }
  } finally { disk.remove(mine) }
}

function writeWhole(disk: Disk, path: string, bytes: Uint8Array): void {
  const file = disk.open(path, 'w')
  try { writeAll(disk, file, bytes, 0) } finally { disk.close(file) }
}

const isSame = (owner: Owner, self: Omit<Owner, 'at'>): boolean => owner.pid === self.pid && owner.started === self.started && owner.host === self.host && owner.boot === self.boot

/** Gives the lock back when it is ours. */
export function dropLock(disk: Disk, folder: string, machine: Machine = realMachine): void {
  const path = join(folder, 'lock')
  const owner = ownerOf(disk, path)
  if (owner?.pid === machine.self().pid && owner.host === machine.self().host) disk.remove(path)
}

function ownerOf(disk: Disk, path: string): Owner | undefined {
  try {
    const owner = parse(disk.read(path).toString()) as Partial<Owner> | null
    if (typeof owner?.pid === 'number' && typeof owner.host === 'string') return { started: 'unknown', boot: 'unknown', at: 0, ...owner, pid: owner.pid, host: owner.host }
  } catch { /* none, or not a lock: nobody's */ }
  return undefined
}

function holds(owner: Owner, self: Omit<Owner, 'at'>, machine: Machine, changed: number): boolean {
  if (owner.host !== self.host) return now() - changed < LOCK_STALE_MS
  if (owner.boot !== self.boot) return false
  const since = machine.started(owner.pid)
  return since !== undefined && (since === owner.started || since === 'unknown' || owner.started === 'unknown')
}

/** For messages: the process that has the lock. */
export const describeOwner = (owner: Owner): string => `process ${owner.pid} on ${owner.host}, since ${new Date(owner.at).toISOString()}`
