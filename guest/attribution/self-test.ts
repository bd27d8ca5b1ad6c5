import { type CellContext, currentCell, runInCell } from '../context.ts'

type Ways = Readonly<Record<string, (seen: () => void) => Promise<unknown>>>

/** A runtime loses the context in one of these ways in the versions that do. */
const WAYS: Ways = {
  await: async seen => {
    await Promise.resolve()
    seen()
  },
  then: seen => Promise.resolve().then(() => Promise.resolve()).then(seen),
  thenable: seen => {
    const thenable = { then: (resolve: (value: unknown) => void) => { queueMicrotask(() => { resolve(undefined) }) } }
    return Promise.resolve(thenable as PromiseLike<unknown>).then(seen)
  },
  rejection: seen => Promise.reject(new Error('expected')).catch(seen),
}

/** Sends many rounds through each way code can go on later; names a runtime that loses track. */
export async function selfTest(runtime: string, rounds = 2000, ways: Ways = WAYS): Promise<string | undefined> {
  const lost: string[] = []
  for (const [way, run] of Object.entries(ways)) {
    let misses = 0
    for (let round = 0; round < rounds; round += BATCH) {
      await Promise.all(Array.from({ length: BATCH }, (_, index) => {
        const cell = { id: `self-test-${index}`, number: 0 } as CellContext
        return runInCell(cell, () => run(() => { if (currentCell() !== cell) misses++ }))
      }))
    }
    if (misses > 0) lost.push(`${way} (${misses})`)
  }
  if (lost.length === 0) return undefined
  return `${runtime} loses the async context after ${lost.join(', ')}: late output may be missing. Use another version of it.`
}

const BATCH = 50
