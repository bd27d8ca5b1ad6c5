import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { SpawnPlan } from '../../../kernel/hooks.ts'
import type { ChildReader } from '../../../kernel/plugin.ts'
import { endGroup, leftInGroup } from './end.ts'
import { unref } from './guard.ts'
import type { Ended } from './outcome.ts'
import { Spool } from './spool.ts'

export interface StartOptions {
  /** The file a child reads as its stdin. */
  readonly promptPath: string
  readonly spoolPath: string
  readonly stderrPath: string
  readonly reader: ChildReader | undefined
  readonly maxAnswerBytes: number
  /** It said something. */
  onActivity(): void
  /** Its answer outgrew the limit, or cannot be kept. */
  onTrouble(message: string): void
}

/** A child's process, from its start to the moment nothing of it is left. */
export interface RunningChild {
  readonly pid: number | undefined
  readonly stderr: Spool
  readonly reader: ChildReader | undefined
  /** Resolves once it has ended, its output is in and its group is empty. Never rejects. */
  readonly ended: Promise<Ended & { readonly warnings: readonly string[] }>
  /** Whether the process itself has exited. */
  hasExited(): boolean
}

/** Starts a child as the leader of a group of its own, with its prompt on stdin. */
export function startChild(plan: SpawnPlan, options: StartOptions): RunningChild {
  const child = spawned(plan, options.promptPath)
  const failure = new Promise<Error>(resolve => child.once('error', resolve))
  const exit = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const closed = new Promise<boolean>(resolve => child.once('close', () => resolve(true)))
  const spool = new Spool(options.spoolPath, options.maxAnswerBytes)
  const stderr = new Spool(options.stderrPath, STDERR_CAP)
  let lastData = 0
  const take = (sink: (chunk: Buffer) => void) => (chunk: Buffer) => {
    lastData = Date.now()
    try { sink(chunk) } catch (cause) { options.onTrouble(`its output could not be kept: ${(cause as Error).message}`) }
    options.onActivity()
  }
  child.stdout?.on('data', take(chunk => {
    if (options.reader !== undefined) return options.reader.write(chunk)
    spool.write(chunk)
    if (spool.bytes > options.maxAnswerBytes) options.onTrouble(`its answer is larger than ${options.maxAnswerBytes} bytes`)
  }))
  child.stderr?.on('data', take(chunk => stderr.write(chunk)))
  for (const stream of [child.stdout, child.stderr]) stream?.on('error', () => {})
  // A host that has nothing else to do may end: the watchdog then ends its children.
  child.unref()
  for (const stream of [child.stdout, child.stderr]) unref(stream)

  const ended = (async () => {
    const spawnError = await Promise.race([failure, exit.then(() => undefined)])
    const warnings = spawnError === undefined ? await clearUp(child, closed, () => lastData) : []
    spool.close()
    stderr.close()
    return endedOf(child, spawnError, spool, stderr, options.reader, warnings)
  })()
  return { pid: child.pid, stderr, reader: options.reader, ended, hasExited: () => child.exitCode !== null || child.signalCode !== null }
}

/** The prompt is read from its file: through a pipe it would cross the host's memory once more for each child. */
function spawned(plan: SpawnPlan, promptPath: string): ChildProcess {
  const [input, ...outputs] = plan.stdio
  const prompt = input === 'pipe' ? openSync(promptPath, 'r') : undefined
  try {
    return spawn(plan.command, [...plan.args], { cwd: plan.cwd, env: plan.env, stdio: [prompt ?? 'ignore', ...outputs], detached: true })
  } finally {
    if (prompt !== undefined) closeSync(prompt)
  }
}

/** Bytes of stderr that are kept. */
const STDERR_CAP = 4 << 20
/** What the pipes still hold after the exit is read; silence of this length means that somebody else holds them. */
const DRAIN_MS = 150
const QUIET_LOOKS = 3
const LEFTOVER_GRACE_MS = 500

/** After the exit: ends what the child left in its group, reads what is in the pipes, and lets go of them. */
async function clearUp(child: ChildProcess, closed: Promise<boolean>, lastData: () => number): Promise<string[]> {
  const warnings: string[] = []
  const left = child.pid === undefined ? [] : leftInGroup(child.pid)
  if (left.length > 0) {
    warnings.push(`processes it left behind were ended: ${left.join(', ')}`)
    const alive = await endGroup(child.pid ?? 0, LEFTOVER_GRACE_MS)
    if (alive.length > 0) warnings.push(`processes it left behind are still alive: ${alive.join(', ')}`)
  }
  await drained(closed, lastData)
  if (child.stdout?.closed === false || child.stderr?.closed === false) warnings.push('a process it started has left its group and still holds its output')
  for (const stream of [child.stdout, child.stderr]) stream?.destroy()
  return warnings
}

/**
 * Resolves when the pipes are at their end, or silent for a while. A host that was busy finds its timers due before it has
 * read what waits in the pipes, so silence counts only after the loop has looked at them again.
 */
async function drained(closed: Promise<boolean>, lastData: () => number): Promise<void> {
  for (let quiet = 0; quiet < QUIET_LOOKS; quiet++) {
    const before = lastData()
    if (await Promise.race([closed, sleep(DRAIN_MS / QUIET_LOOKS, false, { ref: false })])) return
    for (let look = 0; look < 3; look++) if (await Promise.race([closed, nextTurn(false)])) return
    if (lastData() !== before) quiet = -1
  }
}

function endedOf(child: ChildProcess, spawnError: Error | undefined, spool: Spool, stderr: Spool, reader: ChildReader | undefined, warnings: readonly string[]) {
  const progress = reader?.progress()
  return {
    code: child.exitCode,
    signal: child.signalCode,
    ...(spawnError !== undefined && { spawnError }),
    bytes: progress === undefined ? spool.bytes : Buffer.byteLength(progress.answer),
    stderrTail: stderr.lastText(),
    ...(progress !== undefined && { progress }),
    warnings,
  }
}
