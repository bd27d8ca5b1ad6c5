import type { Guest } from '../../guest/guest.ts'
import { bashRunner } from './guest/bash.ts'
import { bunRunner } from './guest/bun.ts'
import { createShell } from './guest/shell.ts'

/**
 * Gives cells `$` and `Bun.$`. On bun both are its own shell, on node bash; what a command gives, and what it refuses,
 * is the same. A `$` that a cell declares wins; `Bun` belongs to the notebook.
 */
export default function shell(guest: Guest): void {
  const { Bun } = globalThis as { Bun?: { $: unknown } }
  const $ = createShell({ guest, run: Bun === undefined ? bashRunner() : bunRunner(Bun.$) })
  if (Bun !== undefined) Bun.$ = $
  guest.own('Bun', Bun ?? Object.freeze({ $ }))
  guest.global('$', $)
}
