import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** A live process as the system lists it; zombies are left out, because nothing can be done to them. */
export interface ProcessRow { readonly pid: number; readonly parent: number; readonly group: number; readonly start: string }

/** Every live process of this machine that can be seen. */
export function processRows(): ProcessRow[] {
  return process.platform === 'linux' ? rowsFromProc() : rowsFromPs()
}

/** The rows that descend from a process, without itself. */
export function descendants(pid: number, rows: readonly ProcessRow[]): ProcessRow[] {
  const found: ProcessRow[] = []
  const parents = new Set([pid])
  for (let grown = true; grown;) {
    const next = rows.filter(row => parents.has(row.parent) && !parents.has(row.pid))
    for (const row of next) { parents.add(row.pid); found.push(row) }
    grown = next.length > 0
  }
  return found
}

/** Signals one process, or with a negative number a group; false when there is none, or it may not be signalled. */
export function signal(target: number, name: NodeJS.Signals | 0): boolean {
  // 0, 1 and -1 mean "my group", "init" and "everybody": never what a record can ask for.
  if (!Number.isSafeInteger(target) || Math.abs(target) <= 1) return false
  try { return process.kill(target, name) } catch (cause) { return name === 0 && (cause as NodeJS.ErrnoException).code === 'EPERM' }
}

function rowsFromProc(): ProcessRow[] {
  return readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(name => rowFromStat(Number(name))).filter(row => row !== undefined)
}

function rowFromStat(pid: number): ProcessRow | undefined {
  let stat: string
  try { stat = readFileSync(`/proc/${pid}/stat`, 'utf8') } catch { return undefined }
  const [state, parent, group, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (state === 'Z' || state === 'X') return undefined
  return { pid, parent: Number(parent), group: Number(group), start: rest[16] ?? '' }
}

function rowsFromPs(): ProcessRow[] {
  const table = execFileSync('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='], { encoding: 'utf8' })
  return table.split('\n').map(line => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line)).filter(row => row !== null && !row[4]?.startsWith('Z'))
    .map(row => ({ pid: Number(row?.[1]), parent: Number(row?.[2]), group: Number(row?.[3]), start: row?.[5]?.trim() ?? '' }))
}
