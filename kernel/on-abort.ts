interface Waiting { readonly tasks: Set<() => void>; readonly fired: () => void }

const waiting = new WeakMap<AbortSignal, Waiting>()

/** Calls `task` when the signal fires; answers how to call it off. One listener for all who wait for a signal: node warns of a leak beyond ten. */
export function onAbort(signal: AbortSignal, task: () => void): () => void {
  const { tasks, fired } = waiting.get(signal) ?? listen(signal)
  tasks.add(task)
  return () => {
    if (!tasks.delete(task) || tasks.size > 0) return
    signal.removeEventListener('abort', fired)
    waiting.delete(signal)
  }
}

function listen(signal: AbortSignal): Waiting {
  const tasks = new Set<() => void>()
  const made = { tasks, fired: (): void => { for (const task of [...tasks]) task() } }
  signal.addEventListener('abort', made.fired)
  waiting.set(signal, made)
  return made
}
