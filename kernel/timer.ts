/** Longest single wait; a longer one means that this process was stopped, and that time does not count. */
const SLICE_MS = 500

/**
 * Calls `done` after `ms` milliseconds in which this process ran: time spent suspended does not count, so nothing is
 * cancelled because a laptop slept. Answers how to call it off.
 */
export function activeTimer(ms: number, done: () => void): () => void {
  let left = ms
  let timer: NodeJS.Timeout
  const wait = (): void => {
    const slice = Math.min(left, SLICE_MS)
    timer = setTimeout(() => {
      left -= slice
      if (left > 0) wait()
      else done()
    }, slice)
  }
  wait()
  return () => { clearTimeout(timer) }
}

/** Waits for work, but no longer than `ms`. */
export function within(ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    const done = (): void => { clearTimeout(timer); resolve() }
    work.then(done, done)
  })
}
