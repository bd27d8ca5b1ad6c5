import type { ChildProcess } from 'node:child_process'
import { activityOf } from './activity.ts'
import { afterMs, now, spawn, stopTimer } from './builtins.ts'
import type { Step } from './installer.ts'

/** How an installer's run ended, with what it said. */
export interface RunEnd {
  readonly why: 'exited' | 'cancelled' | 'stalled' | 'time is up' | 'not started'
  readonly ok: boolean
  readonly output: string
  readonly error?: unknown
}

export interface RunLimits {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly stallMs: number
  /** Whether the program starts others, which then have to end with it. */
  readonly group: boolean
}

/** Data moved in less than this does not count as progress. */
const PROGRESS_BYTES = 256 * 1024
/** How long after its exit a program's last words are waited for. */
const PIPES_MS = 250
const OUTPUT_CAP = 64 * 1024

/** Runs one program in a folder until it ends, is cancelled, stalls or runs out of time; never rejects. */
export function run(step: Step, cwd: string, env: Readonly<Record<string, string>>, limits: RunLimits): Promise<RunEnd> {
  return new Promise(resolve => {
    if (limits.signal.aborted) { resolve({ why: 'cancelled', ok: false, output: '' }); return }
    const child = spawn(step.command, [...step.args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: limits.group, windowsHide: true })
    let output = ''
    let why: RunEnd['why'] = 'exited'
    let patience: ReturnType<typeof afterMs> | undefined
    const hear = (text: string) => { output = (output + text).slice(-OUTPUT_CAP) }
    child.stdout.setEncoding('utf8').on('data', hear)
    child.stderr.setEncoding('utf8').on('data', hear)
    const stop = (reason: RunEnd['why']) => { why = reason; kill(child, limits.group) }
    const cancel = () => stop('cancelled')
    const unwatch = watch(child, limits, stop)
    const end = (ok: boolean, error?: unknown) => {
      stopTimer(patience)
      unwatch()
      limits.signal.removeEventListener('abort', cancel)
      resolve({ why, ok, output, ...(error === undefined ? {} : { error }) })
    }
    limits.signal.addEventListener('abort', cancel)
    child.on('error', error => { if (child.pid === undefined) why = 'not started'; end(false, error) })
    child.on('close', code => end(code === 0 && why === 'exited'))
    // A process that an install script left behind may hold the pipes open for ever.
    child.on('exit', code => { patience = afterMs(() => end(code === 0 && why === 'exited'), PIPES_MS) })
  })
}

function watch(child: ChildProcess, { timeoutMs, stallMs }: RunLimits, stop: (why: 'stalled' | 'time is up') => void): () => void {
  const started = now()
  let moved = started
  let mark = 0
  const tick = () => {
    const activity = activityOf(child.pid ?? 0) ?? Infinity
    if (activity - mark > PROGRESS_BYTES || activity === Infinity) { mark = activity; moved = now() }
    if (now() - started > timeoutMs) stop('time is up')
    else if (now() - moved > stallMs) stop('stalled')
    timer = afterMs(tick, 500)
  }
  let timer = afterMs(tick, 500)
  return () => stopTimer(timer)
}

function kill(child: ChildProcess, group: boolean): void {
  try {
    if (group && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  } catch { child.kill('SIGKILL') }
}
