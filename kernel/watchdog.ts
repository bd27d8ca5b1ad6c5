import { spawn } from 'node:child_process'
import { CELL_MARK } from '../guest/protocol.ts'

/** Watches over a guest for the case that the host dies; `end` when the guest is gone. */
export interface Watchdog { readonly pid: number | undefined; end(): void }

/**
 * Waits for the end of its stdin, which only the host holds open: then the host is dead, however it died, and the
 * guest's group and every process with the engine's mark are killed. A shell, since it sleeps in one read, needs no
 * time of the guest, and outlives a guest that is stuck.
 */
const SCRIPT = `read -r _
kill -s KILL -- "-$1" 2>/dev/null
if [ -r /proc/self/environ ]; then
  for round in 1 2 3; do
    for file in $(grep -lsa "${CELL_MARK}=$2:" /proc/[0-9]*/environ); do
      pid=\${file#/proc/}; kill -s KILL "\${pid%/environ}" 2>/dev/null
    done
  done
else
  ps -axEww -o pid=,command= | grep "${CELL_MARK}=$2:" | while read -r pid _; do kill -s KILL "$pid" 2>/dev/null; done
fi`

/** Starts the watch over the guest that leads group `guest` and marks its processes with `tag`. */
export function watch({ tag, guest }: { readonly tag: string; readonly guest: number }): Watchdog {
  const dog = spawn('/bin/sh', ['-c', SCRIPT, 'pi-rlm-watchdog', String(guest), tag], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  })
  // Without a shell there is no watch; the guest still ends itself when the host's socket closes.
  dog.on('error', () => {})
  dog.stdin.on('error', () => {})
  dog.unref()
  const pipe = dog.stdin as typeof dog.stdin & { unref?: () => void }
  pipe.unref?.()
  return { pid: dog.pid, end: () => { dog.kill('SIGKILL') } }
}
