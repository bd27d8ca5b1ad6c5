import type { Guest } from '../../guest/guest.ts'
import { createRunner, shellProgram } from './guest/runner.ts'
import { createShell, type Shell } from './guest/shell.ts'

/**
 * Gives cells `$` and `Bun.$`: bun's own shell on bun, bash on node; what a command gives, and what it refuses, is the
 * same. A `$` that a cell declares wins; `Bun` belongs to the notebook.
 */
export default function shell(guest: Guest): void {
  const { Bun } = globalThis as { Bun?: { $: Shell } }
  const $ = createShell({ guest, run: createRunner(shellProgram()) })
  if (Bun !== undefined) Bun.$ = Object.assign($, { braces: Bun.$.braces })
  guest.own('Bun', Bun ?? Object.freeze({ $ }))
  guest.global('$', $)
}
