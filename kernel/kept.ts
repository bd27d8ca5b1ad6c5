import { setTimeout as sleep } from 'node:timers/promises'

/** What plugins keep beyond one engine, by plugin name. */
export type Kept = Map<string, unknown>

/** How long the owner of the map waits for what was kept to end. */
const END_LIMIT_MS = 3_500

/** Ends what was kept, when the notebook and not just an engine is over: a value with `Symbol.asyncDispose` is disposed. */
export async function endKept(kept: Kept): Promise<void> {
  const ends = [...kept.values()].map(async value => { await (value as Partial<AsyncDisposable> | null)?.[Symbol.asyncDispose]?.() })
  kept.clear()
  if (ends.length > 0) await Promise.race([Promise.allSettled(ends), sleep(END_LIMIT_MS, undefined, { ref: false })])
}
