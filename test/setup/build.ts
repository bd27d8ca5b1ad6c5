import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Guests run the compiled code, so it is brought up to date before the first test. */
export default function build(): void {
  execFileSync('node', [fileURLToPath(new URL('../../build.mjs', import.meta.url))], { stdio: 'inherit' })
}
