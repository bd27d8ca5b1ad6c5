import { type ChildProcess, spawn } from 'node:child_process'
import { compiledProgram } from './program.ts'

/** Children often come one after another; starting a watchdog costs as much as a small child. */
const LINGER_MS = 10_000

/** The host's end of the watchdog: started with the first child, told of each, let go after the last. */
export class Guard {
  private readonly leaders = new Set<number>()
  private dog: ChildProcess | null = null
  private idle: NodeJS.Timeout | undefined

  add(leader: number): void {
    clearTimeout(this.idle)
    this.leaders.add(leader)
    if (this.dog === null) this.start()
    else this.tell(`+${leader}\n`)
  }

  remove(leader: number): void {
    if (!this.leaders.delete(leader)) return
    this.tell(`-${leader}\n`)
    if (this.leaders.size === 0) this.idle = setTimeout(() => this.release(), LINGER_MS).unref()
  }

  /** Lets the watchdog go; without children it has nothing to watch. */
  release(): void {
    clearTimeout(this.idle)
    if (this.leaders.size > 0) return
    const { dog } = this
    this.dog = null
    dog?.stdin?.end()
  }

  private start(): void {
    // BUN_BE_BUN: an agent that is one compiled file runs the program instead of itself.
    const dog = spawn(process.execPath, [compiledProgram(import.meta.url, './watchdog')], {
      stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/', env: { ...process.env, BUN_BE_BUN: '1', NODE_OPTIONS: '' },
    })
    this.dog = dog
    // Without a listener a dying watchdog would take the host with it.
    dog.on('error', () => this.lost(dog))
    dog.on('exit', () => this.lost(dog))
    dog.stdin.on('error', () => {})
    dog.unref()
    unref(dog.stdin)
    for (const leader of this.leaders) this.tell(`+${leader}\n`)
  }

  /** Somebody ended the watchdog: while children live there has to be one. */
  private lost(dog: ChildProcess): void {
    if (this.dog !== dog) return
    this.dog = null
    if (this.leaders.size > 0 && dog.pid !== undefined) this.start()
  }

  private tell(line: string): void { this.dog?.stdin?.write(line) }
}

/** Pipes of child processes are sockets and can be kept from holding the event loop. */
export const unref = (stream: unknown): void => (stream as { unref?: () => void } | null)?.unref?.()
