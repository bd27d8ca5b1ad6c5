import { isBuiltin } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { now, realpathSync, writeFileSync } from './builtins.ts'
import { NpmImportError } from './errors.ts'

/** A module stored in each entry: what it resolves and imports, the runtime resolves from there. */
interface Loader {
  /** Answers a specifier's URL and what to import for it. */
  resolve(specifier: string): { readonly url: string; readonly target: string }
  load(target: string, options: ImportCallOptions | undefined): Promise<unknown>
}

const FILE = 'load.mjs'
// `import.meta.resolve` does not look whether the file is there; require's rules find what packages from before
// `exports` mean by `name/path`, and entries with a `require` condition only.
const TEXT = `import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
const require = createRequire(import.meta.url)
const usable = url => !url.startsWith('file:') || statSync(fileURLToPath(url), { throwIfNoEntry: false })?.isFile() === true
export function resolve(specifier) {
  let failure = new Error('Cannot find ' + specifier)
  try {
    const url = import.meta.resolve(specifier)
    if (usable(url)) return { url, target: specifier }
  } catch (error) { failure = error }
  try {
    const url = pathToFileURL(require.resolve(specifier)).href
    return { url, target: url }
  } catch { throw failure }
}
export const load = (target, options) => import(target, options)
`

/** Writes the module that imports on behalf of an entry. */
export const writeLoader = (entry: string): void => writeFileSync(path.join(entry, FILE), TEXT)

/** Names that bun answers with modules of its own although node's list of builtins lacks them. */
const BUN_OWN: ReadonlySet<string> = new Set(['node-fetch', 'isomorphic-fetch', 'abort-controller', 'utf-8-validate', '@vercel/fetch'])

/** The folder under `node_modules`: a package named like a module of the runtime is installed under another name. */
export const folderFor = (name: string): string =>
  isBuiltin(name) || ('bun' in process.versions && BUN_OWN.has(name)) ? `@npm/${name.replace('@', '').replace('/', '-')}` : name

/** Imports a module of an entry; the file it resolves to has to lie in the entry. */
export async function importFrom(entry: string, folder: string, subpath: string, title: string, attributes: Readonly<Record<string, string>> | undefined): Promise<unknown> {
  const loader = await loaderOf(pathToFileURL(path.join(entry, FILE)).href)
  const { url, target } = loader.resolve(subpath === '' ? folder : `${folder}/${subpath}`)
  const file = url.startsWith('file:') ? realpathSync(fileURLToPath(url)) : url
  if (!file.startsWith(entry + path.sep)) {
    throw new NpmImportError('NPM_OUTSIDE', `'${title}' was not loaded: it resolves to ${file}, outside of its folder in the cache.`)
  }
  return loader.load(target, withOf(file, attributes))
}

/** Node keeps the failure of a module that could not be read, for want of descriptors for one; a query makes it another module. */
async function loaderOf(url: string): Promise<Loader> {
  try { return await import(url) as Loader } catch { return await import(`${url}?${now()}`) as Loader }
}

/** JSON needs its attribute on node only; there it is filled in. */
function withOf(file: string, attributes: Readonly<Record<string, string>> | undefined): ImportCallOptions | undefined {
  if (attributes !== undefined && Object.keys(attributes).length > 0) return { with: { ...attributes } }
  return file.endsWith('.json') ? { with: { type: 'json' } } : undefined
}
