import { test } from 'vitest'

/** A test that needs something of the machine: without it the test is skipped under a title that names it; with CI=true it fails. */
export function testWith(lack: string | undefined, title: string, run: () => Promise<void>): void {
  if (lack === undefined) test(title, run)
  else if (process.env['CI'] === 'true') test(title, () => { throw new Error(lack) })
  else test.skip(`${title} (${lack})`, run)
}
