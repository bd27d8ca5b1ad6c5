import { EventEmitter } from 'node:events'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { currentCell } from '../context.ts'
import type { CellRef } from '../protocol.ts'
import type { Spawning } from './spawning.ts'

/** A worker thread as either runtime shows it. */
interface Worker { terminate(): unknown }

const { apply, construct } = Reflect
const { includes } = String.prototype
const { on } = EventEmitter.prototype
const { addEventListener } = EventTarget.prototype

/** Follows the worker threads of each cell; answers what ends those of one. */
export function trackWorkers(): (cell: CellRef) => void {
  const byCell = new Map<number, Set<Worker>>()
  // Both runtimes tell of a worker in the context that made it.
  ;(process as unknown as EventEmitter).on('worker', (worker: Worker) => {
    const number = currentCell()?.number
    // A cell may emit anything here.
    if (number === undefined || !(worker instanceof EventEmitter || worker instanceof EventTarget)) return
    const workers = byCell.get(number) ?? new Set()
    byCell.set(number, workers.add(worker))
    const gone = (): void => {
      workers.delete(worker)
      if (workers.size === 0) byCell.delete(number)
    }
    if (worker instanceof EventEmitter) apply(on, worker, ['exit', gone])
    else apply(addEventListener, worker, ['close', gone])
  })
  return cell => {
    for (const worker of byCell.get(cell.number) ?? []) worker.terminate()
  }
}

type Options = Readonly<Record<string, unknown>> | null | undefined

/** With the mark of the cell in the worker's environment, so that what it starts is found; a shared environment has the engine's. */
function marked(spawning: Spawning, options: Options): Options {
  const env = options?.['env']
  if (env !== undefined && env !== null && typeof env !== 'object') return options
  return { ...options, env: spawning.env(currentCell(), env as Record<string, string> | null | undefined) }
}

/**
 * Marks the worker threads of cells, before the first cell that names worker_threads: loading it would be part of each
 * start, and bun's namespace of it cannot be changed once a cell has it. Web workers are marked where they are wrapped.
 */
export function markWorkers(spawning: Spawning): (source: string) => void {
  let done = false
  return source => {
    if (done || !(apply(includes, source, ['worker_threads']) as boolean)) return
    done = true
    const threads = createRequire(import.meta.url)('node:worker_threads') as { Worker: new (...args: unknown[]) => object }
    const native = threads.Worker
    const wrapped: typeof native = new Proxy(native, {
      construct: (target, [file, options, ...more]: unknown[], newTarget) =>
        construct(target, [file, marked(spawning, options as Options), ...more], newTarget === wrapped ? target : newTarget) as object,
    })
    threads.Worker = wrapped
    syncBuiltinESMExports()
  }
}
