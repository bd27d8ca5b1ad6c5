import os from 'node:os'

const { setTimeout, clearTimeout } = globalThis
const { loadavg, availableParallelism } = os

/**
 * Runs work after so many milliseconds, unless it is called off by then. While the machine has more to do than it has
 * processors for, it waits on: many notebooks that start at once would keep each other from their first results.
 */
export function whenIdle(ms: number, work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>
  const wait = (): void => {
    timer = setTimeout(() => { if ((loadavg()[0] ?? 0) > availableParallelism()) wait(); else work() }, ms)
    timer.unref()
  }
  wait()
  return () => { clearTimeout(timer) }
}
