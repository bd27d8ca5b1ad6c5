import { badCall, ChildError } from './errors.ts'
import { type HandleMethods, Subagent } from './handle.ts'

/** What became of one item, as Promise.allSettled says it. */
export type Settled<T> = { readonly status: 'fulfilled'; readonly value: T } | { readonly status: 'rejected'; readonly reason: unknown }
export interface MapOptions<T> {
  readonly concurrency?: number
  /** Results of an earlier run over the same items: only what failed there is done again. */
  readonly previous?: readonly Settled<T>[]
}

const CONCURRENCY = 8

/**
 * Runs `fn` over items, some at a time, and answers in the order of the items. A failure is that item's alone. When
 * `fn` answers with a child, its text is the value.
 */
export async function mapItems<Item, T>(items: readonly Item[], fn: (item: Item, index: number) => unknown, options: MapOptions<T> | undefined, stopped: () => boolean): Promise<Settled<T>[]> {
  if (typeof fn !== 'function') throw badCall('rlm.map(items, fn): fn is not a function')
  const list = listOf(items)
  const concurrency = options?.concurrency ?? CONCURRENCY
  if (!Number.isInteger(concurrency) || concurrency < 1) throw badCall(`concurrency is ${String(concurrency)}; it must be a whole number from 1`)
  const previous = options?.previous
  if (previous !== undefined && resultsIn(previous, 'previous').length !== list.length) throw badCall(`previous has ${previous.length} results for ${list.length} items; it must be the results of the same items`)
  const results: Settled<T>[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let index = next++; index < list.length; index = next++) {
      const before = previous?.[index]
      results[index] = before?.status === 'fulfilled' ? before : await settled<T>(() => {
        if (stopped()) throw badCall('the cell was cancelled before this item was begun')
        return fn(list[index] as Item, index)
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, list.length) }, work))
  return results
}

function listOf<Item>(items: unknown): Item[] {
  if (typeof (items as Partial<Iterable<Item>> | null)?.[Symbol.iterator] === 'function') return [...items as Iterable<Item>]
  throw badCall('rlm.map(items, fn): items is not a list')
}

/** What is no result would be passed over without a word, and the total with it be wrong. */
function resultsIn<T>(results: unknown, what: string): readonly Settled<T>[] {
  const isResult = (each: unknown): boolean => ['fulfilled', 'rejected'].includes((each as Partial<Settled<T>> | null | undefined)?.status as string)
  if (Array.isArray(results) && Array.from(results).every(isResult)) return results as readonly Settled<T>[]
  throw badCall(`${what} must be the results of rlm.map(items, fn), or of Promise.allSettled`)
}

async function settled<T>(work: () => unknown): Promise<Settled<T>> {
  try {
    const value = await work()
    return { status: 'fulfilled', value: (value instanceof Subagent ? await (value as Subagent & HandleMethods).text() : value) as T }
  } catch (reason) { return { status: 'rejected', reason } }
}

/** How much of the whole the results speak for. */
export interface Coverage {
  readonly parts: number
  readonly done: number
  readonly failed: readonly { readonly index: number; readonly reason: string }[]
  /** Of items made by rlm.chunks. */
  readonly records?: { readonly total: number; readonly done: number }
  readonly chars?: { readonly total: number; readonly done: number }
}

export function coverageOf(results: readonly Settled<unknown>[], items?: readonly unknown[]): Coverage {
  resultsIn(results, 'the first argument')
  if (items !== undefined && items.length !== results.length) throw badCall(`there are ${results.length} results for ${items.length} items; give the items they are of`)
  const failed = results.flatMap((result, index) => result.status === 'rejected' ? [{ index, reason: reasonText(result.reason) }] : [])
  const sum = (key: 'records' | 'chars') => {
    const sizes = (items ?? []).map(item => (item as Partial<Record<string, number>> | null)?.[key])
    if (sizes.length !== results.length || sizes.some(size => typeof size !== 'number')) return undefined
    const numbers = sizes as number[]
    return { total: add(numbers), done: add(numbers.filter((_, index) => results[index]?.status === 'fulfilled')) }
  }
  const records = sum('records')
  const chars = sum('chars')
  return { parts: results.length, done: results.length - failed.length, failed, ...(records && { records }), ...(chars && { chars }) }
}

const add = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)
const reasonText = (reason: unknown): string => reason instanceof Error ? reason.message : String(reason)

/** Folds the values of all items into one; refuses when one is missing, because a total over a part is a wrong total. */
export function reduceResults<T, Sum>(results: readonly Settled<T>[], fn: (sum: Sum, value: T, index: number) => Sum, initial: Sum): Sum {
  const { parts, done, failed } = coverageOf(results)
  const [first] = failed
  if (first !== undefined) {
    throw new ChildError('PARTS_MISSING', 'PartsMissing', `${done} of ${parts} parts are there; missing: ${failed.slice(0, 10).map(part => part.index).join(', ')} (${first.index}: ${first.reason}). Do these again with rlm.map(items, fn, { previous: results }).`, { failed })
  }
  return results.reduce((sum, result, index) => result.status === 'fulfilled' ? fn(sum, result.value, index) : sum, initial)
}
