import { execFile } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CELL_MARK } from '../guest/protocol.ts'

/** A live process that belongs to an engine. */
export interface EngineProcess {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** 0 where the system does not tell. */
  readonly session: number
  readonly command: string
  /** The cell that started it, by the mark in its environment; null without one. */
  readonly cell: number | null
}

/** Which engine is asked about: its mark, and the guest that leads its group. */
export interface EngineMark { readonly tag: string; readonly guest?: number | undefined }

/** How long a cancelled cell's children have to end by themselves. */
const TERM_GRACE_MS = 800
/** How long processes of a cancelled cell are looked for. */
const CELL_LIMIT_MS = 5_000
/** How long a kill looks for processes that are still there. */
const KILL_LIMIT_MS = 2_000
const LOOK_MS = 25
/** Processes looked at side by side: node takes 64 KiB for each file of /proc it reads, and there may be thousands. */
const LANES = 8
const QUIET_LOOKS = 2

/** Every live process of an engine: in the guest's group or session, or carrying the engine's mark. */
export async function census({ tag, guest }: EngineMark): Promise<readonly EngineProcess[]> {
  const all = await processTable(tag)
  return all.filter(each => each.cell !== null || (guest !== undefined && (each.group === guest || each.session === guest)))
}

/**
 * Ends what one cell started and has not ended: SIGTERM, then SIGKILL, also to what a dying script still starts. Works
 * while the guest is stuck, too.
 */
export async function endCell(tag: string, cell: number): Promise<void> {
  const began = performance.now()
  const asked = new Set<number>()
  for (let quiet = 0; ;) {
    const alive = (await processTable(tag)).filter(each => each.cell === cell)
    const elapsed = performance.now() - began
    // Between two commands of a script there is a moment without a process.
    quiet = alive.length === 0 ? quiet + 1 : 0
    if (quiet === QUIET_LOOKS || elapsed > CELL_LIMIT_MS) return
    for (const { pid } of alive) {
      if (elapsed > TERM_GRACE_MS) signal(pid, 'SIGKILL')
      else if (!asked.has(pid)) signal(pid, 'SIGTERM')
      asked.add(pid)
    }
    await sleep(LOOK_MS * 2, undefined, { ref: false })
  }
}

/** Kills the guest's whole group now; nothing is waited for, so it may be called while the host exits. */
export const killGroup = (guest: number): void => { signal(-guest, 'SIGKILL') }

/**
 * Kills a guest, its group and every process it or a cell started, and verifies it. Answers those that remain after
 * the limit: processes that may not be signalled.
 */
export async function endEngine({ tag, guest }: { readonly tag: string; readonly guest: number }): Promise<readonly EngineProcess[]> {
  // Before the kill: what leads a session of its own and lost its mark is known only as a descendant.
  const known = descendants(guest)
  killGroup(guest)
  for (const pid of known) signal(pid, 'SIGKILL')
  const limit = performance.now() + KILL_LIMIT_MS
  for (;;) {
    const left = await census({ tag, guest })
    if (left.length === 0 || performance.now() > limit) return left
    for (const { pid } of left) signal(pid, 'SIGKILL')
    await sleep(LOOK_MS)
  }
}

/** One line for a process that remains. */
export const processLine = ({ pid, session, command, cell }: EngineProcess): string =>
  `process ${pid}${cell === null ? '' : ` of cell ${cell}`}${session === pid ? ', in a session of its own' : ''}: ${command}`

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

function descendants(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`)
      .flatMap(task => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
      .filter(text => text !== '').map(Number)
    return [...children, ...children.flatMap(descendants)]
  } catch {
    return []
  }
}

/** All processes that can be seen; `cell` is set for those that carry the tag. */
async function processTable(tag: string): Promise<readonly EngineProcess[]> {
  if (process.platform !== 'linux') return psTable(tag)
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).values()
  const entries: EngineProcess[] = []
  const lane = async (): Promise<void> => {
    for (const pid of pids) {
      const entry = await procEntry(Number(pid), tag)
      if (entry !== null) entries.push(entry)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return entries
}

async function procEntry(pid: number, tag: string): Promise<EngineProcess | null> {
  const [stat, environ] = await Promise.all(['stat', 'environ'].map(file => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')))
  // The name stands in parentheses and may hold any character, parentheses included.
  const [, command = '', state, parent, group, session] = /\((.*)\) (\S) (\d+) (\d+) (\d+)/s.exec(stat ?? '') ?? []
  if (state === undefined || state === 'Z' || state === 'X') return null
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), command, cell: markedCell(`\0${environ}`, `\0${CELL_MARK}=${tag}:`) }
}

/** macOS and the BSDs: `ps` shows the environment behind the command. */
async function psTable(tag: string): Promise<readonly EngineProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axEww', '-o', 'pid=,ppid=,pgid=,stat=,command='], { maxBuffer: 1 << 26 })
  return stdout.split('\n').flatMap(line => {
    const [, pid, parent, group, state, command = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    if (state === undefined || state.startsWith('Z')) return []
    const cell = markedCell(command, `${CELL_MARK}=${tag}:`)
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, command: command.slice(0, 80), cell }]
  })
}

function markedCell(environment: string, mark: string): number | null {
  const at = environment.indexOf(mark)
  return at < 0 ? null : Number.parseInt(environment.slice(at + mark.length), 10)
}
