import { type ChildProcess, spawn } from 'node:child_process'
import { CELL_MARK } from '../guest/protocol.ts'

/** A guest under watch; `end` when it is gone, with all it started. */
export interface Watch { end(): void }

/**
 * Reads which guests live (`+ group:tag`, `- group:tag`) until its stdin ends, which only the host holds open: then the
 * host is dead, however it died, and the guests' groups and every process with their engines' marks are killed. A shell,
 * since it sleeps in one read, needs no time of a guest, and outlives guests that are stuck.
 */
const SCRIPT = `guests=
while read -r sign guest; do
  if [ "$sign" = + ]; then guests="$guests $guest"; continue; fi
  left=
  for each in $guests; do [ "$each" = "$guest" ] || left="$left $each"; done
  guests=$left
done
[ -n "$guests" ] || exit 0
marks=
for each in $guests; do
  kill -s KILL -- "-\${each%%:*}" 2>/dev/null
  marks="$marks\${marks:+|}${CELL_MARK}=\${each#*:}:"
done
if [ -r /proc/self/environ ]; then
  for round in 1 2 3; do
    for file in $(grep -lsaE "$marks" /proc/[0-9]*/environ); do
      pid=\${file#/proc/}; kill -s KILL "\${pid%/environ}" 2>/dev/null
    done
  done
else
  ps -axEww -o pid=,command= | grep -E "$marks" | while read -r pid _; do kill -s KILL "$pid" 2>/dev/null; done
fi`

/** One that ended sooner cannot work here, and is not started again. */
const PROVEN_MS = 1_000

/** The host's end of the watch: one process for all guests, since to start it takes a host as long as half a guest. */
class Watchdog {
  private readonly guests = new Set<string>()
  private dog: ChildProcess | null = null

  add(guest: string): void {
    this.guests.add(guest)
    if (this.dog === null) this.start()
    else this.dog.stdin?.write(`+ ${guest}\n`)
  }

  remove(guest: string): void {
    if (!this.guests.delete(guest)) return
    if (this.guests.size > 0) { this.dog?.stdin?.write(`- ${guest}\n`); return }
    this.dog?.kill('SIGKILL')
    this.dog = null
  }

  private start(): void {
    const began = performance.now()
    const dog = this.dog = spawn('/bin/sh', ['-c', SCRIPT, 'pi-rlm-watchdog'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
    })
    // Without a shell there is no watch; a guest still ends itself when the host's socket closes.
    dog.on('error', () => {})
    dog.stdin.on('error', () => {})
    dog.on('exit', () => { this.lost(dog, performance.now() - began) })
    dog.unref()
    const pipe = dog.stdin as typeof dog.stdin & { unref?: () => void }
    pipe.unref?.()
    for (const guest of this.guests) dog.stdin.write(`+ ${guest}\n`)
  }

  /** Somebody ended it: while guests live there has to be one. */
  private lost(dog: ChildProcess, livedMs: number): void {
    if (this.dog !== dog) return
    this.dog = null
    if (this.guests.size > 0 && livedMs > PROVEN_MS) this.start()
  }
}

const watchdog = new Watchdog()

/** Watches over the guest that leads a process group, and over the processes with its engine's tag, for the case that the host dies. */
export function watch({ tag, guest }: { readonly tag: string; readonly guest: number }): Watch {
  const name = `${guest}:${tag}`
  watchdog.add(name)
  return { end: () => { watchdog.remove(name) } }
}
