/**
 * Names the compiled body uses and no cell text may meet. They begin with a letter nobody types; a digit after it is
 * the notebook's, anything else a box: `x` reaches the body as `ºx`.
 */
export const MARK = 'º'
/** The object that answers for the notebook inside a body. */
export const RUNTIME = `${MARK}0`
/** What a clause caught, before a pattern takes it apart. */
export const CAUGHT = `${MARK}1`
/** The object that names are found in while they run, where they are found by name. */
export const SCOPE = MARK

export const boxName = (name: string): string => MARK + name

const NAME = `${MARK}([\\p{ID_Start}$_][\\p{ID_Continue}$\\u200c\\u200d]*)`
const GENERATED: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`${CAUGHT}\\) \\{ ${RUNTIME}\\.caught\\(${CAUGHT}\\); let ([^]*?) = ${CAUGHT};`, 'gu'), '$1) {'],
  [new RegExp(` ${RUNTIME}\\.caught\\(${NAME.replace(MARK, '')}\\);`, 'gu'), ''],
  [new RegExp(`${RUNTIME}\\.handler\\(`, 'gu'), '('],
  // As they are written, and as node puts parentheses in.
  [new RegExp(`\\(!${NAME}\\.bound && \\1 \\|\\| ${MARK}\\1\\.\\w+\\)`, 'gu'), '$1'],
  [new RegExp(`\\(\\(\\(!${NAME}\\.bound\\) && \\1\\) \\|\\| ${MARK}\\1\\.\\w+\\)`, 'gu'), '$1'],
  [new RegExp(`\\(0\\s?,\\s?${NAME}\\.\\w+\\)`, 'gu'), '$1'],
  [new RegExp(`${NAME}\\.(?:v|assigned)\\b`, 'gu'), '$1'],
  [new RegExp(`${RUNTIME}\\.typeOf\\("([^"]+)"\\)`, 'gu'), 'typeof $1'],
  [new RegExp(`${NAME}\\.typeOf\\(\\)`, 'gu'), 'typeof $1'],
  [/\(0\s?,\s?([\p{ID_Start}$_][\p{ID_Continue}$]*)\)/gu, '$1'],
  [new RegExp(`${RUNTIME}\\.(import|meta|Function)`, 'gu'), '$1'],
]
const { replace } = String.prototype
const { apply } = Reflect

/** An engine's message with the names the author wrote in place of generated ones. */
export function cleanMessage(message: string): string {
  let clean = message
  for (const [pattern, written] of GENERATED) clean = apply(replace, clean, [pattern, written]) as string
  return clean
}
