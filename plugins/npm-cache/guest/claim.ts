import path from 'node:path'
import { existsSync, now, parse, pause, readFileSync, renameSync, stringify, writeFileSync } from './builtins.ts'
import { type NpmErrorCode, NpmImportError } from './errors.ts'
import type { Layout } from './layout.ts'
import { type Claim, discard, leaderOf, openStaging } from './staging.ts'

const POLL_MS = 60

/** What installs a request, and what tells whether another session has done so since a moment. */
export interface ClaimedWork<T> {
  readonly request: string
  readonly signal: AbortSignal
  readonly work: (claim: Claim) => Promise<T>
  readonly done: (since: number) => T | undefined
}

/**
 * Does the work in a staging folder of its own, or waits while a session that began earlier does the same, and takes
 * over when that one was killed. A failure is shared: those who waited get the same error instead of failing in turn.
 */
export async function claimed<T>(layout: Layout, { request, signal, work, done }: ClaimedWork<T>): Promise<T> {
  const claim = openStaging(layout, request)
  try {
    for (let waited = false; !signal.aborted && leaderOf(layout, claim) !== undefined; waited = true) await pause(waited ? POLL_MS : 1, signal)
    const found = signal.aborted ? undefined : done(claim.since)
    if (found !== undefined) return found
    const failure = readFailure(layout, claim)
    if (failure !== undefined) throw failure
    return await work(claim)
  } catch (error) {
    if (error instanceof NpmImportError && error.code !== 'NPM_CANCELLED') writeFailure(layout, claim, error)
    throw error
  } finally { await discard(claim.folder) }
}

interface Failure { readonly at: number; readonly code: NpmErrorCode; readonly message: string; readonly cause?: string }

const fileOf = (layout: Layout, claim: Claim): string => path.join(layout.failures, `${claim.key}.json`)

function readFailure(layout: Layout, claim: Claim): NpmImportError | undefined {
  try {
    const { at, code, message, cause } = parse(readFileSync(fileOf(layout, claim), 'utf8')) as Failure
    return at > claim.since ? new NpmImportError(code, message, cause === undefined ? undefined : new Error(cause)) : undefined
  } catch { return undefined }
}

/** Best effort: without it the others try for themselves. */
function writeFailure(layout: Layout, claim: Claim, { code, message, cause }: NpmImportError): void {
  if (!existsSync(claim.folder)) return
  try {
    const fresh = path.join(claim.folder, 'failure.json')
    writeFileSync(fresh, stringify({ at: now(), code, message, ...(cause instanceof Error ? { cause: cause.message } : {}) }))
    renameSync(fresh, fileOf(layout, claim))
  } catch { /* see above */ }
}
