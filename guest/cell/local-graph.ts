import { readFileSync, statSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHash } from '../hash.ts'

/** A local module as it is on disk now: a hash of its text and the local modules it names. */
export interface LocalModule { readonly hash: string; readonly imports: readonly string[] }

/** Modules looked at for one import; a larger graph is taken as it is. */
const MOST_MODULES = 2_000
const IMPORTS = /\b(?:from|import|require)\s*\(?\s*(['"])((?:\.{1,2}\/|\/|file:)[^'"\n]*)\1/g
const EXTENSIONS = ['', '.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.jsx', '.json', '/index.ts', '/index.js', '/index.mjs']

/** Whether a file is one that people edit: packages are not. */
export const isLocal = (path: string): boolean => !/[\\/]node_modules[\\/]/.test(path)

/** A module and every local module it imports, directly or not. A name in a comment counts, which does no harm. */
export function localGraph(entry: string): Map<string, LocalModule> {
  const graph = new Map<string, LocalModule>()
  const queue = [entry]
  for (let path = queue.pop(); path !== undefined && graph.size < MOST_MODULES; path = queue.pop()) {
    if (graph.has(path) || !isLocal(path)) continue
    const found = readModule(path)
    if (found === undefined) continue
    graph.set(path, found)
    queue.push(...found.imports)
  }
  return graph
}

function sha1(text: string): string {
  const hash = createHash('sha1')
  hash.update(text)
  return hash.digest('base64')
}

function readModule(path: string): LocalModule | undefined {
  try {
    const text = readFileSync(path, 'utf8')
    const named = extname(path) === '.json' ? [] : [...text.matchAll(IMPORTS)].map(([, , specifier = '']) => fileOf(specifier, dirname(path)))
    return { hash: sha1(text), imports: named.filter(each => each !== undefined) }
  } catch {
    return undefined
  }
}

/** Files that a path without its extension, or with that of the compiled form, may mean. */
export const candidates = (path: string): string[] => [...EXTENSIONS.map(extension => path + extension), path.replace(/\.([mc]?)js$/, '.$1ts')]

function fileOf(specifier: string, dir: string): string | undefined {
  try {
    const path = resolve(dir, specifier.startsWith('file:') ? fileURLToPath(specifier) : specifier.replace(/\?.*$/, ''))
    return candidates(path).find(each => statSync(each, { throwIfNoEntry: false })?.isFile())
  } catch {
    return undefined
  }
}
