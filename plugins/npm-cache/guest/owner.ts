import os from 'node:os'
import { readFileSync, readlinkSync } from './builtins.ts'
import { shortHash } from './layout.ts'

/** A process as a part of a folder's name: machine, pid, start. The start tells a reused pid from its former owner. */
export interface Owner { readonly machine: string; readonly pid: number; readonly start: string }

const attempt = (read: () => string): string => { try { return read() } catch { return '' } }

let known: string | undefined
/** What a pid means something in: this boot of this machine, and its pid namespace where there is one. */
const machine = (): string => known ??= shortHash([
  os.hostname(), attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')), attempt(() => readlinkSync('/proc/self/ns/pid')),
].join()).slice(0, 8)

/** When a process started, as its system tells it; `0` where it does not tell. */
function startOf(pid: number): string {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The command's name comes in brackets and may hold blanks; the start is the 20th field after it.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0'
}

/** This process. */
export const self = (): Owner => ({ machine: machine(), pid: process.pid, start: startOf(process.pid) })

/** Whether the owner still runs; `unknown` for one on another machine or in another container. */
export function fateOf(owner: Owner): 'alive' | 'dead' | 'unknown' {
  if (owner.machine !== machine()) return 'unknown'
  try { process.kill(owner.pid, 0) } catch (error) { if ((error as { code?: string }).code === 'ESRCH') return 'dead' }
  return startOf(owner.pid) === owner.start ? 'alive' : 'dead'
}
