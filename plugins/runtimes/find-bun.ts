import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { runtimeMissing } from '../../kernel/errors.ts'

/** bun's package puts a stub of 450 bytes where its binary is missing; the binary has about 100 MB. */
const SMALLEST_BINARY = 1 << 20
const ADVICE = 'Install it with `npm install bun`, or use the preset \'node\', which needs nothing.'

/**
 * The bun to run: an explicit path; the platform package beside this one (bun's install script moves the binary out of
 * it, so it is there when scripts were off); the `bun` package; PATH. Throws `RUNTIME_MISSING` naming what it looked at.
 */
export function findBun(explicit: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  if (explicit !== undefined) return checkedPath(explicit)
  const found = [...packaged(), ...onPath(env['PATH'] ?? '')].find(isBinary)
  if (found === undefined) throw runtimeMissing(`bun was not found in node_modules or on PATH. ${ADVICE}`)
  return found
}

function checkedPath(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw runtimeMissing(`bun was not found at '${path}'. ${ADVICE}`)
  if (!found.isFile()) throw runtimeMissing(`'${path}' is not a program but a ${found.isDirectory() ? 'directory' : 'special file'}. ${ADVICE}`)
  if (!executable(path)) throw runtimeMissing(`'${path}' may not be executed: check its mode. ${ADVICE}`)
  return path
}

function* packaged(): Generator<string> {
  const require = createRequire(import.meta.url)
  let folder: string
  try { folder = dirname(require.resolve('bun/package.json')) } catch { return }
  const scope = join(folder, '..', '@oven')
  try { for (const name of readdirSync(scope).filter(entry => entry.startsWith('bun-'))) yield join(scope, name, 'bin', 'bun') } catch { /* no platform package: the usual case */ }
  yield join(folder, 'bin', 'bun.exe')
}

function* onPath(path: string): Generator<string> {
  for (const folder of path.split(delimiter)) if (folder !== '') yield join(folder, 'bun')
}

function isBinary(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && found.size > SMALLEST_BINARY && executable(path)
}

function executable(path: string): boolean {
  try { accessSync(path, constants.X_OK); return true } catch { return false }
}
