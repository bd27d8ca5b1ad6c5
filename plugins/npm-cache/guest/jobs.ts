import { newController } from './builtins.ts'

/** One running job and those who wait for it. */
interface Job<T> { readonly result: Promise<T>; readonly controller: AbortController; waiting: number }

/** Runs a job once for all who ask for the same at the same time; it is cancelled when the last of them gives up. */
export class SharedJobs<T> {
  private readonly jobs = new Map<string, Job<T>>()

  run(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>, givenUp: () => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) { reject(givenUp()); return }
      const job = this.jobs.get(key) ?? this.open(key, start)
      job.waiting++
      const leave = () => { this.leave(key, job); reject(givenUp()) }
      const wait = async () => {
        try { resolve(await job.result) } catch (error) { reject(error) } finally { signal?.removeEventListener('abort', leave) }
      }
      signal?.addEventListener('abort', leave)
      void wait()
    })
  }

  private open(key: string, start: (signal: AbortSignal) => Promise<T>): Job<T> {
    const controller = newController()
    const job: Job<T> = { result: start(controller.signal), controller, waiting: 0 }
    this.jobs.set(key, job)
    void this.closeAfter(key, job)
    return job
  }

  private async closeAfter(key: string, job: Job<T>): Promise<void> {
    try { await job.result } catch { /* those who wait are told */ }
    this.close(key, job)
  }

  private leave(key: string, job: Job<T>): void {
    if (--job.waiting > 0) return
    job.controller.abort()
    this.close(key, job)
  }

  private close(key: string, job: Job<T>): void {
    if (this.jobs.get(key) === job) this.jobs.delete(key)
  }
}

/** Lets a few pieces of work run at a time; the others wait in order. */
export function limiter(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async work => {
    if (running >= most) await new Promise<void>(resolve => waiting.push(resolve))
    else running++
    try { return await work() } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
