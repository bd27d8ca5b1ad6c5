import { distance } from 'fastest-levenshtein'
import type { Namespace } from '../namespace.ts'
import { cleanMessage } from './private-names.ts'

const MISSING = /^(?:Can't find variable: )?([\p{ID_Start}$_][\p{ID_Continue}$]*)(?: is not defined)?$/u
const { apply } = Reflect
const { exec } = RegExp.prototype

let space: Namespace | undefined
const shellNames = new Set<string>()
/** Names kept for the hint about shell variables. */
const MOST_SHELL_NAMES = 1_000

/** Whose names a missing one may have been meant for. */
export function explainWith(namespace: Namespace): void { space = namespace }

/** Notes names that a cell puts into a shell command, as `${NAME}` in a template of `$`. */
export function noteShellNames(names: readonly string[]): void {
  if (shellNames.size > MOST_SHELL_NAMES) shellNames.clear()
  for (const name of names) shellNames.add(name)
}

/** An error's message in the author's own names, with a hint where the mistake is a known one. */
export function explainMessage(name: string, message: string): string {
  const clean = cleanMessage(message)
  if (name !== 'ReferenceError') return clean
  const missing = (apply(exec, MISSING, [clean]) as RegExpExecArray | null)?.[1]
  return missing === undefined ? clean : clean + hintFor(missing)
}

function hintFor(missing: string): string {
  if (shellNames.has(missing)) return `. In a template, \${${missing}} is JavaScript: write \${process.env.${missing}} for a variable of the environment, or \\\${${missing}} to leave it to the shell.`
  const meant = nearestName(missing)
  return meant === undefined ? '' : `. Did you mean ${meant}?`
}

/** The name of the notebook that is at most a slip or two away. */
function nearestName(missing: string): string | undefined {
  let best: string | undefined
  let least = missing.length < 4 ? 1 : 2
  for (const name of space?.visible() ?? []) {
    if (Math.abs(name.length - missing.length) > least) continue
    const far = name.toLowerCase() === missing.toLowerCase() ? 0 : distance(name, missing)
    // Any short name is one letter away from any other.
    if (far * 2 > missing.length) continue
    if (far < least || (far === least && best === undefined)) {
      best = name
      least = far
    }
  }
  return best
}
