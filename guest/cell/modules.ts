import { createRequire, isBuiltin } from 'node:module'
import { dirname, resolve as resolvePath } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { statSync } from 'node:fs'
import { currentCell } from '../context.ts'
import type { Importer } from '../guest.ts'

/** Loads modules for cells, as seen from the working directory. */
export interface Modules {
  import(specifier: unknown, options?: unknown): Promise<unknown>
  /** A fresh `import.meta` for a cell. */
  meta(): object
  readonly require: (specifier: string) => unknown
}

interface Parts { readonly importers: readonly Importer[]; cwd(): string }
type Attributes = Readonly<Record<string, string>>

const SCHEME = /^([a-z][a-z0-9+.-]*):/i

/** Makes the loader; `cwd` is asked at each use, because a cell may change it. */
export function createModules({ importers, cwd }: Parts): Modules {
  const load = async (specifier: string, attributes: Attributes | undefined): Promise<unknown> => {
    const scheme = SCHEME.exec(specifier)?.[1]?.toLowerCase()
    const importer = importers.find(each => each.scheme.replace(/:$/, '') === scheme)
    if (importer) return importer.load(specifier, currentCell(), attributes)
    const url = resolveFrom(specifier, cwd())
    return native(url.startsWith('file:') ? fresh(url) : url, attributes)
  }
  const from = () => createRequire(`${cwd()}/cell.js`)
  return {
    import: async (specifier, options) => load(String(specifier), attributesOf(options)),
    meta() {
      const dir = cwd()
      return {
        __proto__: null, url: `${pathToFileURL(dir).href}/`, dir, dirname: dir, main: true,
        resolve: (specifier: string) => resolveFrom(specifier, cwd()),
      }
    },
    require: specifier => from()(specifier) as unknown,
  }
}

const native = (url: string, attributes: Attributes | undefined): Promise<unknown> =>
  attributes ? import(url, { with: attributes }) : import(url)

function attributesOf(options: unknown): Attributes | undefined {
  const given = (options as { with?: Attributes } | undefined)?.with
  return given && Object.keys(given).length > 0 ? given : undefined
}

/** The URL a specifier means in a folder; builtins and packages of other schemes stay as they are. */
export function resolveFrom(specifier: string, dir: string): string {
  if (/^\.{0,2}\//.test(specifier) || specifier === '.' || specifier === '..') return pathToFileURL(resolvePath(dir, specifier)).href
  if (isBuiltin(specifier) || SCHEME.test(specifier)) return specifier
  const path = createRequire(`${dir}/cell.js`).resolve(specifier)
  return isBuiltin(path) ? path : pathToFileURL(path).href
}

/** Each version of a local file is a module of its own: engines never load one URL twice. */
function fresh(url: string): string {
  const path = fileURLToPath(url)
  if (dirname(path).includes('/node_modules/')) return url
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
  if (stats === undefined) return url
  return process.versions['bun'] ? `${path}?v=${stats.mtimeNs}` : `${url}?v=${stats.mtimeNs}`
}
