type Ending = 'exit' | 'abort' | 'reallyExit' | 'kill'
const { apply, defineProperty } = Reflect

/** Sends what was printed and called before a cell ends the guest itself, however it does so. */
export function installLastWords(flush: () => void): void {
  for (const name of ['exit', 'abort', 'reallyExit', 'kill'] as const) before(name, flush)
}

function before(name: Ending, task: () => void): void {
  const native = process[name as 'exit'] as ((...args: unknown[]) => unknown) | undefined
  if (native === undefined) return
  const ending = function (this: unknown, ...args: unknown[]): unknown {
    try { task() } catch { /* the channel is gone */ }
    return apply(native, process, args)
  }
  defineProperty(ending, 'name', { value: name })
  defineProperty(process, name, { value: ending, writable: true, configurable: true, enumerable: true })
}
