import { accessSync, constants } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { userStateFolder } from '../repl/history.ts'

/** A folder in which something is kept. */
export interface Folder {
  readonly what: string
  readonly path: string
  readonly exists: boolean
  readonly files: number
  readonly bytes: number
  readonly problem?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Where things are kept for this user and this directory, and how much of them. */
export const findFolders = (env: Environment, cwd: string): Promise<readonly Folder[]> => Promise.all([
  measure('history of the command line', userStateFolder(env)),
  measure('npm packages of cells', npmCache(env)),
  measure('sessions of pi in this directory', join(cwd, '.pi-rlm')),
])

function npmCache(env: Environment): string {
  const own = env['PI_RLM_NPM_CACHE_DIR']
  if (own !== undefined && own !== '') return resolve(own)
  const xdg = env['XDG_CACHE_HOME']
  return join(xdg !== undefined && isAbsolute(xdg) ? xdg : join(env['HOME'] ?? homedir(), '.cache'), 'pi-rlm', 'npm')
}

async function measure(what: string, path: string): Promise<Folder> {
  const found = await lstat(path).catch(() => null)
  const problem = found === null ? unwritable(nearestExisting(path)) : found.isDirectory() ? unwritable(path) : 'it is not a folder'
  const { files, bytes } = found?.isDirectory() === true ? await sizeOf(path) : { files: 0, bytes: 0 }
  return { what, path, exists: found !== null, files, bytes, ...(problem !== undefined && { problem }) }
}

async function sizeOf(folder: string): Promise<{ files: number; bytes: number }> {
  let files = 0
  let bytes = 0
  const waiting = [folder]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name)
      if (entry.isDirectory()) { waiting.push(path); continue }
      files += 1
      bytes += (await lstat(path).catch(() => null))?.size ?? 0
    }
  }
  return { files, bytes }
}

function nearestExisting(path: string): string {
  let at = path
  while (!exists(at) && dirname(at) !== at) at = dirname(at)
  return at
}

const exists = (path: string): boolean => allows(path, constants.F_OK)

const unwritable = (path: string): string | undefined => allows(path, constants.W_OK) ? undefined : `'${path}' cannot be written by this user`

function allows(path: string, mode: number): boolean {
  try { accessSync(path, mode); return true } catch { return false }
}
