import { existsSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { resolve as resolvePath } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The scheme a specifier begins with, in lower case. */
export const schemeOf = (specifier: string): string | undefined => /^([a-z][a-z0-9+.-]*):/i.exec(specifier)?.[1]?.toLowerCase()

interface BunLike { resolveSync(specifier: string, parent: string): string }
const bun = (globalThis as { Bun?: BunLike }).Bun
const resolveSync = bun?.resolveSync.bind(bun)
let resolveAsModule: typeof import('import-meta-resolve').resolve | undefined

/** Loads the resolver where the runtime has none of its own; before the first cell. */
export async function loadResolver(): Promise<void> {
  if (bun === undefined) resolveAsModule = (await import('import-meta-resolve')).resolve
}

/** The URL a specifier means in a folder, as it would in a module there; throws an error that names both. */
export function resolveFrom(specifier: string, dir: string): string {
  if (isBuiltin(specifier)) return specifier
  const scheme = schemeOf(specifier)
  if (scheme !== undefined && scheme !== 'file') return specifier
  try {
    return resolveAsModule === undefined ? resolveOnBun(resolveSync as BunLike['resolveSync'], specifier, dir) : resolveAsModule(specifier.startsWith('/') ? pathToFileURL(specifier).href : specifier, `${pathToFileURL(dir).href}/cell.js`)
  } catch (cause) {
    throw notFound(specifier, dir, cause)
  }
}

/** Throws when a specifier means a file that is not there: import-meta-resolve answers URLs of such. */
export function checkFrom(specifier: string, dir: string): void {
  const url = resolveFrom(specifier, dir)
  if (url.startsWith('file:') && !existsSync(fileURLToPath(url.split('?')[0] ?? url))) throw notFound(specifier, dir, undefined)
}

function resolveOnBun(resolve: BunLike['resolveSync'], specifier: string, dir: string): string {
  const [path = '', query] = specifier.startsWith('file:') ? [fileURLToPath(specifier), specifier.split('?')[1]] : [specifier]
  const found = resolve(path, dir)
  return isBuiltin(found) ? found : pathToFileURL(found).href + (query === undefined ? '' : `?${query}`)
}

function notFound(specifier: string, dir: string, cause: unknown): Error {
  const code = (cause as { code?: unknown } | null)?.code
  const local = /^\.{0,2}\/|^\.{1,2}$|^file:/.test(specifier)
  const advice = local ? `there is no such module; ${specifier.startsWith('.') ? `'${resolvePath(dir, specifier)}' was looked for` : 'check the path'}` : `no such package is installed there; import('npm:${specifier}') installs it`
  const message = code === undefined || code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND' || code === 'ERR_UNSUPPORTED_DIR_IMPORT' ? `Cannot find '${specifier}' from ${dir}: ${advice}.` : `Cannot resolve '${specifier}' from ${dir}: ${cause instanceof Error ? cause.message : 'no reason given'}`
  return Object.assign(new Error(message, { cause }), { code: 'ERR_MODULE_NOT_FOUND' })
}
