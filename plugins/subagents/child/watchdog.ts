import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { endGroup } from './end.ts'

/**
 * A program beside the host that outlives it for a moment. The host tells it on stdin which group leaders live
 * (`+pid`, `-pid`); when stdin ends, or its parent is another process than at its start, the host is gone and so
 * must its children be. It lives in its own session, so that a Ctrl-C meant for the host does not end it first.
 */
export function watch(input: NodeJS.ReadableStream, parent: () => number, end: (leader: number) => Promise<unknown>): Promise<void> {
  const leaders = new Set<number>()
  return new Promise(resolve => {
    const born = parent()
    const finish = () => {
      clearInterval(look)
      lines.close()
      void Promise.all([...leaders].map(leader => end(leader))).then(() => resolve())
      leaders.clear()
    }
    const look = setInterval(() => { if (parent() !== born) finish() }, PARENT_LOOK_MS)
    const lines = createInterface({ input })
    lines.on('line', line => {
      const leader = Number(line.slice(1))
      if (line.startsWith('+')) leaders.add(leader)
      else leaders.delete(leader)
    })
    input.once('end', finish)
  })
}

/** The write end of stdin could have been inherited by a third process: the parent's number is the second sign. */
const PARENT_LOOK_MS = 500
/** Short, because each level of a tree waits this long for the one above. */
const GRACE_MS = 800

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  void watch(process.stdin, () => process.ppid, leader => endGroup(leader, GRACE_MS)).then(() => process.exit(0))
}
