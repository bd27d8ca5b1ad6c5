const { memoryUsage } = process
const collect = (globalThis as { Bun?: { gc(now: boolean): unknown } }).Bun?.gc

/** Cells from one collection to the next, and bytes of live values up to which one is short. */
const CELLS = 1_000
const MOST_BYTES = 64 << 20

let cells = 0

/**
 * Counts a cell. bun frees the code of ended cells at whole collections only, which it puts off as long as cells make few
 * objects: a notebook with many cells and little in them collects now and then.
 */
export function countCell(): void {
  if (collect === undefined || ++cells % CELLS !== 0) return
  if (memoryUsage().heapUsed < MOST_BYTES) collect(true)
}
