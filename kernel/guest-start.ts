import type { Boot, Frame } from '../guest/protocol.ts'
import type { Assembly } from './assemble.ts'
import { RlmError, startFailed } from './errors.ts'
import { type GuestEvents, GuestProcess } from './guest-process.ts'
import type { GuestRuntime } from './plugin.ts'
import { activeTimer } from './timer.ts'

type Ready = Extract<Frame, { readonly type: 'ready' }>

export interface GuestStart {
  readonly runtime: GuestRuntime
  readonly assembly: Assembly
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** The mark of the engine's processes. */
  readonly tag: string
  readonly boot: Omit<Boot, 'type' | 'runtime' | 'halves' | 'handles' | 'tag'>
  /** Throws when the start was called off meanwhile. */
  readonly check: () => void
  /** Told of the process before it is ready, so that it can be ended at any time. */
  readonly onSpawned: (guest: GuestProcess) => void
  readonly events: GuestEvents
}

export interface StartedGuest { readonly guest: GuestProcess; readonly ready: Ready }

/** Starts a guest and waits until it has loaded every half. Rejects with `START_FAILED` or `RUNTIME_MISSING`; nothing is left running then. */
export async function startGuest(start: GuestStart): Promise<StartedGuest> {
  const first = await start.runtime.plan({ cwd: start.cwd, env: start.env })
  const plan = await start.assembly.hooks.onSpawn.promise(first)
  start.check()
  const waiting = new ReadyWait(start, plan.command)
  const guest = await GuestProcess.start(plan, start.tag, waiting.events)
  start.onSpawned(guest)
  waiting.started(guest)
  guest.boot({
    ...start.boot, type: 'boot', tag: start.tag, runtime: start.runtime.name, handles: start.assembly.handles(),
    halves: start.assembly.halves.map(half => ({ ...half, url: start.runtime.resolve(half.url) })),
  })
  return { guest, ready: await waiting.ready }
}

/** Listens to a guest until it is ready; passes everything on after that. */
class ReadyWait {
  readonly ready: Promise<Ready>
  readonly events: GuestEvents
  private readonly start: GuestStart
  private readonly command: string
  private guest: GuestProcess | null = null
  private stopTimer = (): void => {}
  private resolve!: (ready: Ready) => void
  private reject!: (error: RlmError) => void
  private done = false

  constructor(start: GuestStart, command: string) {
    this.start = start
    this.command = command
    this.ready = new Promise((resolve, reject) => { this.resolve = resolve; this.reject = reject })
    this.ready.catch(() => {})
    this.events = {
      onFrame: frame => { if (this.done) start.events.onFrame(frame); else this.onFrame(frame) },
      onDeath: (how, tail) => { if (this.done) start.events.onDeath(how, tail); else this.onDeath(how, tail) },
    }
  }

  started(guest: GuestProcess): void {
    this.guest = guest
    const { timeoutMs } = this.start
    this.stopTimer = activeTimer(timeoutMs, () => {
      this.fail(startFailed(`The guest '${this.command}' did not become ready within ${timeoutMs} ms. Check the program, or raise startTimeoutMs.`))
    })
  }

  private onFrame(frame: Frame): void {
    if (frame.type === 'fatal') this.fail(startFailed(`The guest cannot start: ${frame.error.message}`))
    else if (frame.type === 'ready') {
      const problem = refusal(this.start, frame)
      if (problem !== null) { this.fail(problem); return }
      this.done = true
      this.stopTimer()
      this.resolve(frame)
    } else this.start.events.onFrame(frame)
  }

  private onDeath(how: string, tail: string): void {
    this.fail(startFailed(`The guest '${this.command}' ended before it was ready: ${how}.${tail === '' ? '' : `\n${tail}`}`))
  }

  private fail(error: RlmError): void {
    this.stopTimer()
    this.guest?.kill()
    this.reject(error)
  }
}

function refusal({ runtime, assembly }: GuestStart, frame: Ready): RlmError | null {
  const refused = runtime.refuses?.(frame.version)
  if (refused !== undefined) return new RlmError('RUNTIME_MISSING', 'RuntimeMissingError', refused)
  const missing = assembly.halves.filter(half => !frame.halves.includes(half.name)).map(half => half.name)
  return missing.length === 0 ? null : startFailed(`The guest did not load the halves of ${missing.join(', ')}.`)
}
