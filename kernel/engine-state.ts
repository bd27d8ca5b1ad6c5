import type { RlmError } from './errors.ts'
import type { GuestProcess } from './guest-process.ts'
import type { CellJob } from './job.ts'

/** Where an engine is in its one life. */
export type EngineState =
  | { readonly at: 'new' }
  | { readonly at: 'starting' }
  | { readonly at: 'ready'; readonly guest: GuestProcess }
  | { readonly at: 'running'; readonly guest: GuestProcess; readonly job: CellJob }
  | { readonly at: 'wedged'; readonly guest: GuestProcess; readonly job: CellJob; readonly probing: boolean }
  | { readonly at: 'disposing'; readonly error: RlmError }
  | { readonly at: 'dead'; readonly error: RlmError }
