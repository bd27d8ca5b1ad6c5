import { type ChildProcess, spawn } from 'node:child_process'
import { type Stats, statSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import type { Boot, Frame } from '../guest/protocol.ts'
import { startFailed } from './errors.ts'
import type { SpawnPlan } from './hooks.ts'
import { Link } from './link.ts'
import { endEngine, type EngineProcess, killGroup } from './processes.ts'
import { watch, type Watch } from './watchdog.ts'

/** Characters of raw output kept for the report of a crash. */
const TAIL_CHARS = 2_000
/** After the process ended, how long its last frames and words may still arrive, in milliseconds. */
const LAST_FRAMES_MS = 1_000
/** In so many waits: a busy host reads what has come between two of them, and must not give up before it has looked. */
const LAST_LOOKS = 5

export interface GuestEvents {
  onFrame(frame: Frame): void
  /** Called once, after the last frame: how the process ended, and its last raw words. */
  onDeath(how: string, tail: string): void
}

// One listener for all guests: a listener each would warn of a leak beyond ten engines.
const running = new Set<GuestProcess>()
process.on('exit', () => { for (const guest of running) guest.kill() })

/** At once: a host that is busy with its own start would come back to this late, and the guest could have been starting meanwhile. */
function checkFolder(path: string): void {
  let folder: Stats
  try {
    folder = statSync(path)
  } catch (cause) {
    throw startFailed(`The working directory '${path}' cannot be used: ${(cause as Error).message}`, cause)
  }
  if (!folder.isDirectory()) throw startFailed(`The working directory '${path}' is not a directory.`)
}

/** A guest as the host sees it: a process group and a channel. */
export class GuestProcess {
  /** Bytes on the guest's own stdout and stderr: no cell can be named for them. */
  rawBytes = 0
  readonly link: Link
  readonly pid: number
  private readonly child: ChildProcess
  private readonly events: GuestEvents
  private tail = ''
  private ending: string | null = null
  private dead = false
  /** The channel and the two raw outputs: what is still to come on them belongs to the report of a death. */
  private open = 3
  private readonly tag: string
  private readonly watch: Watch
  private swept: Promise<readonly EngineProcess[]> | null = null
  private readonly deathWaiters: (() => void)[] = []

  private constructor(child: ChildProcess, tag: string, events: GuestEvents) {
    this.child = child
    this.tag = tag
    this.events = events
    this.pid = child.pid as number
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => { this.keepTail(chunk) })
      stream?.on('error', () => {})
      stream?.on('close', () => { this.closed() })
    }
    this.link = new Link(child.stdio[3] as Duplex, {
      onFrame: frame => { if (!this.dead) events.onFrame(frame) },
      onClose: () => { this.closed() },
    })
    child.on('exit', (code, signal) => { this.ended(code, signal) })
    running.add(this)
    this.watch = watch({ tag, guest: this.pid })
  }

  /** Starts the process; rejects with `START_FAILED` when the system refuses. */
  static async start(plan: SpawnPlan, tag: string, events: GuestEvents): Promise<GuestProcess> {
    checkFolder(plan.cwd)
    return new Promise((resolve, reject) => {
      const child = spawn(plan.command, plan.args, { cwd: plan.cwd, env: plan.env, stdio: [...plan.stdio], detached: true })
      child.on('error', cause => { reject(startFailed(`The guest '${plan.command}' cannot be started: ${cause.message}`, cause)) })
      if (child.pid !== undefined) resolve(new GuestProcess(child, tag, events))
    })
  }

  boot(command: Boot): void { this.link.send(command) }

  /** Ends the guest, its process group, and every process that it or a cell started. */
  kill(): void {
    this.swept ??= endEngine({ tag: this.tag, guest: this.pid }).catch(() => []).finally(() => { this.watch.end() })
    killGroup(this.pid)
    this.child.kill('SIGKILL')
  }

  /** After a kill: what could not be ended. */
  remains(): Promise<readonly EngineProcess[]> { return this.swept ?? Promise.resolve([]) }

  /** Resolves once the process has ended, or after `ms`; answers whether it has. */
  async gone(ms: number): Promise<boolean> {
    if (this.dead) return true
    return new Promise(resolve => {
      const timer = setTimeout(() => { resolve(this.dead) }, ms)
      this.deathWaiters.push(() => { clearTimeout(timer); resolve(true) })
    })
  }

  private keepTail(chunk: Buffer): void {
    this.rawBytes += chunk.length
    this.tail = (this.tail + chunk.subarray(-TAIL_CHARS * 4).toString('utf8')).slice(-TAIL_CHARS)
  }

  private ended(code: number | null, signal: NodeJS.Signals | null): void {
    this.ending = signal === null ? `exit code ${code}` : `signal ${signal}`
    // What a cell started goes with the guest.
    this.kill()
    this.settleDeath()
    this.giveUp(LAST_LOOKS)
  }

  /** Something that outlives the guest may hold its channel or its outputs open. */
  private giveUp(looks: number): void {
    if (looks === 0) { this.open = 0; this.settleDeath(); return }
    if (!this.dead) setTimeout(() => { this.giveUp(looks - 1) }, LAST_FRAMES_MS / LAST_LOOKS)
  }

  private closed(): void {
    this.open--
    this.settleDeath()
  }

  private settleDeath(): void {
    if (this.ending === null || this.open > 0 || this.dead) return
    this.dead = true
    running.delete(this)
    this.link.destroy()
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.destroy()
    this.events.onDeath(this.ending, this.tail.trim())
    for (const waiter of this.deathWaiters.splice(0)) waiter()
  }
}
