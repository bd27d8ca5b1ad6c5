import { within } from './timer.ts'

/** What plugins keep beyond one engine, by plugin name. */
export type Kept = Map<string, unknown>

/** How long the owner of the map waits for what was kept to end. */
const END_LIMIT_MS = 3_500

/**
 * Ends what was kept, when the notebook and not just an engine is over: a value with `Symbol.asyncDispose` is disposed. The
 * wait holds the event loop: what is disposed may listen to child processes only, which do not, and would be cut short.
 */
export async function endKept(kept: Kept): Promise<void> {
  const ends = [...kept.values()].map(async value => { await (value as Partial<AsyncDisposable> | null)?.[Symbol.asyncDispose]?.() })
  kept.clear()
  if (ends.length > 0) await within(END_LIMIT_MS, Promise.allSettled(ends))
}
