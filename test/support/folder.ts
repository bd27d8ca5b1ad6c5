import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A temporary folder that goes when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pi-rlm-test-'))
  onTestFinished(() => { rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) })
  return folder
}
