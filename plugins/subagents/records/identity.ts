import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process, told apart from any other that ever had its number. */
export interface Identity {
  readonly pid: number
  /** When the kernel says it started. */
  readonly start: string
  readonly boot: string
  /** Machine and process-number space: only there does the number mean anything. */
  readonly host: string
}

/** What a look at a process says; `other-host` when it cannot be looked at from here. */
export type Liveness = 'alive' | 'gone' | 'other-host'

/** How processes are looked at; an argument, so that tests can have processes of their own. */
export interface ProcessTable {
  readonly boot: string
  readonly host: string
  /** Start time of a live process; undefined when there is none or it is only a zombie. */
  startOf(pid: number): string | undefined
}

/** The processes of this machine. */
export function systemProcesses(): ProcessTable {
  return process.platform === 'linux'
    ? { boot: readOr('/proc/sys/kernel/random/boot_id', 'unknown'), host: `${hostname()} ${linkOr('/proc/self/ns/pid', '')}`.trim(), startOf: startFromProc }
    : { boot: shellOr('sysctl', ['-n', 'kern.boottime'], 'unknown'), host: hostname(), startOf: pid => shellOr('ps', ['-o', 'lstart=', '-p', String(pid)], '') || undefined }
}

/** The identity of a live process; undefined when it is gone. */
export function identify(pid: number, table: ProcessTable): Identity | undefined {
  const start = table.startOf(pid)
  return start === undefined ? undefined : { pid, start, boot: table.boot, host: table.host }
}

/** Whether the very process an identity names still lives. */
export function liveness(identity: Identity, table: ProcessTable): Liveness {
  if (identity.host !== table.host) return 'other-host'
  if (identity.boot !== table.boot || !Number.isSafeInteger(identity.pid) || identity.pid <= 1) return 'gone'
  return table.startOf(identity.pid) === identity.start ? 'alive' : 'gone'
}

function startFromProc(pid: number): string | undefined {
  const stat = readOr(`/proc/${pid}/stat`, '')
  // The command name may hold spaces and brackets: fields are counted from the last bracket on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
}

function readOr(path: string, otherwise: string): string {
  try { return readFileSync(path, 'utf8').trim() } catch { return otherwise }
}
function linkOr(path: string, otherwise: string): string {
  try { return readlinkSync(path) } catch { return otherwise }
}
function shellOr(command: string, args: string[], otherwise: string): string {
  try { return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() } catch { return otherwise }
}
