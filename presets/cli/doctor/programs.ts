import { execFile } from 'node:child_process'
import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { findBun } from '../../../plugins/runtimes/find-bun.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A program or package as it was found; what is missing has a problem, and how to get it. */
export interface Found {
  readonly name: string
  readonly path: string | null
  readonly version: string | null
  readonly problem?: string
  readonly advice?: string
  /** Whether the notebook is ready without it. */
  readonly optional?: true
}

const PI = '@mariozechner/pi-coding-agent'
/** A program that does not say its version within this time counts as broken, in milliseconds. */
const VERSION_MS = 10_000

/** Everything the notebook may use, in the order a reader cares for. */
export const findPrograms = (env: Environment): Promise<readonly Found[]> =>
  Promise.all([bun(env), node(env), Promise.resolve(piPackage()), Promise.resolve(piProgram(env))])

async function bun(env: Environment): Promise<Found> {
  const advice = 'npm install bun, or use the preset node, which needs nothing'
  try {
    const path = findBun(undefined, env)
    return await versionOf('bun', path, advice)
  } catch (error) {
    return { name: 'bun', path: null, version: null, problem: (error as Error).message, advice }
  }
}

async function node(env: Environment): Promise<Found> {
  const advice = 'install Node 20.6 or newer from https://nodejs.org'
  const path = process.versions.bun === undefined ? process.execPath : onPath('node', env)
  if (path === null) return { name: 'node', path, version: null, problem: 'not found on PATH', advice }
  return versionOf('node', path, advice)
}

function piPackage(): Found {
  const name = 'pi (package)'
  for (const folder of createRequire(import.meta.url).resolve.paths(PI) ?? []) {
    const version = packageVersion(join(folder, PI))
    if (version !== null) return { name, path: join(folder, PI), version }
  }
  return { name, path: null, version: null, problem: 'not found: `tools` answers every call with an error', advice: `npm install ${PI} beside pi-rlm`, optional: true }
}

function piProgram(env: Environment): Found {
  const name = 'pi (program)'
  const path = onPath('pi', env)
  if (path === null) return { name, path, version: null, problem: 'not found on PATH: the notebook cannot be used inside pi, and cells have no child agents', advice: `npm install -g ${PI}`, optional: true }
  // The program is a script of its package; its version is read there, as starting it takes seconds.
  let folder = dirname(realpathSync(path))
  for (; dirname(folder) !== folder; folder = dirname(folder)) {
    const version = packageVersion(folder)
    if (version !== null) return { name, path, version }
  }
  return { name, path, version: null }
}

function packageVersion(folder: string): string | null {
  try {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string; version?: string }
    return name?.endsWith('/pi-coding-agent') === true ? version ?? null : null
  } catch {
    return null
  }
}

/** A program by name, as a shell would find it. */
function onPath(name: string, env: Environment): string | null {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name)
    if (folder !== '' && statSync(path, { throwIfNoEntry: false })?.isFile() === true && mayRun(path)) return path
  }
  return null
}

function mayRun(path: string): boolean {
  try { accessSync(path, constants.X_OK); return true } catch { return false }
}

function versionOf(name: string, path: string, advice: string): Promise<Found> {
  return new Promise(resolve => {
    execFile(path, ['--version'], { timeout: VERSION_MS }, (error, stdout) => {
      if (error === null) resolve({ name, path, version: stdout.trim().replace(/^v/, '') })
      else resolve({ name, path, version: null, problem: `it does not run: ${error.message.split('\n')[0] ?? ''}`, advice })
    })
  })
}
