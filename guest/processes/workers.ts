import { EventEmitter } from 'node:events'
import { currentCell } from '../context.ts'
import type { CellRef } from '../protocol.ts'

/** A worker thread as either runtime shows it. */
interface Worker { terminate(): unknown }

const { apply } = Reflect
const { on } = EventEmitter.prototype
const { addEventListener } = EventTarget.prototype

/** Follows the worker threads of each cell; answers what ends those of one. */
export function trackWorkers(): (cell: CellRef) => void {
  const byCell = new Map<number, Set<Worker>>()
  // Both runtimes tell of a worker in the context that made it.
  ;(process as unknown as EventEmitter).on('worker', (worker: Worker) => {
    const number = currentCell()?.number
    if (number === undefined) return
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
