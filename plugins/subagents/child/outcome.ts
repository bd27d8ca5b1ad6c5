import type { ChildProgress } from '../../../kernel/plugin.ts'
import { plainText } from '../naming.ts'
import type { Reason } from '../records/record.ts'

/** How a child's process ended, and what was seen of it. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  /** The process could not be started at all. */
  readonly spawnError?: Error
  /** Bytes of the answer. */
  readonly bytes: number
  readonly stderrTail: string
  /** Of agents that send events. */
  readonly progress?: ChildProgress
}

/** Why the host ended a child, decided before the first signal. */
export interface Ending { readonly reason: Reason; readonly message: string }

export type Outcome = { readonly status: 'completed'; readonly warnings: readonly string[] } | { readonly status: 'error'; readonly reason: Reason; readonly message: string }

const MESSAGE_LENGTH = 600

/** What became of a child. What the host did itself comes first, then what the process shows, then what the agent says. */
export function outcomeOf(end: Ended, ending: Ending | null, chosenModel: string | null): Outcome {
  const { progress } = end
  if (ending !== null) return failed(ending.reason, ending.message)
  if (end.spawnError !== undefined) return failed('failed-to-start', `the command could not be started: ${end.spawnError.message}`)
  if (end.signal !== null) return failed('crashed', `ended by ${end.signal}, which was not sent from here${lastWords(end)}`)
  if (progress?.error !== undefined) return failed('failed', progress.error)
  if (end.code !== 0) return failed('crashed', `exit code ${end.code}${lastWords(end)}`)
  if (progress !== undefined && !progress.ended) return failed('ended-early', `exit code 0 in the middle of its work${progress.activity === undefined ? '' : `; last seen: ${progress.activity}`}${lastWords(end)}`)
  if (progress?.model !== undefined && isOther(progress.model, chosenModel)) return failed('wrong-model', `${chosenModel} was chosen and ${progress.model} answered`)
  return { status: 'completed', warnings: end.bytes === 0 ? ['the answer is empty'] : [] }
}

/** Whether the model that answers is not the one chosen; a thinking level is no part of its name. */
export const isOther = (actual: string, chosen: string | null): boolean =>
  chosen !== null && actual !== chosen && !chosen.startsWith(`${actual}:`)

const failed = (reason: Reason, message: string): Outcome => ({ status: 'error', reason, message: plainText(message, MESSAGE_LENGTH) })

const lastWords = ({ stderrTail }: Ended): string => {
  const text = stderrTail.trim()
  return text === '' ? '' : `: ${text.slice(-400)}`
}
