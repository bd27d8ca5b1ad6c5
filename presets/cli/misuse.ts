import { RlmError } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/methods.ts'

/** The command line, a file or a variable asks for what cannot be. */
export const misuse = (message: string, cause?: unknown): RlmError => new RlmError('MISUSE', 'MisuseError', message, cause)

/** Names what is unknown, and what may have been meant. */
export function unknown(what: string, name: string, known: readonly string[]): RlmError {
  const near = nearest(bare(name), known.map(bare))
  const meant = known.find(candidate => bare(candidate) === near)
  return misuse(`unknown ${what} '${name}'.${meant === undefined ? '' : ` Did you mean '${meant}'?`} Known: ${known.join(', ')}.`)
}

/** Without the dashes or the dot before it, which all of a kind share: they make no two names alike. */
const bare = (name: string): string => name.replace(/^(--?|\.)/, '')

const BEFORE_START = new Set(['MISUSE', 'BAD_PRESET', 'BAD_OPTIONS', 'BAD_SETTING', 'BAD_ARGUMENT'])

/** The exit code an error stands for: 2 when nothing was started because it was asked for wrongly, 1 otherwise. */
export const exitCodeOf = (error: unknown): number => BEFORE_START.has(String((error as { code?: unknown } | null)?.code)) ? 2 : 1

/** The one line, or the few, a person reads about an error. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const known = error instanceof RlmError || typeof (error as { code?: unknown }).code === 'string'
  return known ? error.message : error.stack ?? error.message
}
