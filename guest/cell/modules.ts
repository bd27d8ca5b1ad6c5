import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { currentCell } from '../context.ts'
import type { Importer } from '../guest.ts'
import { createFreshModules } from './fresh.ts'
import { checkFrom, resolveFrom, schemeOf } from './resolve.ts'

/** Loads modules for cells, as seen from the working directory. */
export interface Modules {
  import(specifier: unknown, options?: unknown): Promise<unknown>
  /** Throws when a module of the working directory is not there to be imported. */
  check(specifier: string): void
  /** A fresh `import.meta` for a cell. */
  meta(): object
  readonly require: (specifier: string) => unknown
}

interface Parts {
  readonly importers: readonly Importer[]
  cwd(): string
  /** Told of each module that was imported, with the specifier that means it from the folder the guest started in. */
  readonly imported?: (space: unknown, specifier: string, attributes: Attributes | undefined) => void
  /** The same of what `require` gave. */
  readonly required?: (value: unknown, specifier: string) => void
}
type Attributes = Readonly<Record<string, string>>

/** Makes the loader; `cwd` is asked at each use, because a cell may change it. */
export function createModules({ importers, cwd, imported, required }: Parts): Modules {
  const edited = createFreshModules()
  const home = cwd()
  const load = async (specifier: string, attributes: Attributes | undefined): Promise<unknown> => {
    const scheme = schemeOf(specifier)
    const importer = importers.find(each => each.scheme.replace(/:$/, '') === scheme)
    if (importer) return importer.load(specifier, currentCell(), attributes)
    const url = resolveFrom(specifier, cwd())
    if (!url.startsWith('file:')) return native(url, attributes)
    try {
      return await native(await edited.urlFor(url), attributes)
    } catch (error) {
      edited.failed(url)
      // A runtime names the module that asked, which is the engine's.
      if ((error as { code?: unknown } | null)?.code === 'ERR_MODULE_NOT_FOUND') checkFrom(specifier, cwd())
      throw error
    }
  }
  const fromHome = (specifier: string): string => {
    if (schemeOf(specifier) !== undefined) return specifier
    const here = cwd()
    return here === home ? specifier : resolveFrom(specifier, here)
  }
  return {
    import: async (given, options) => {
      const specifier = String(given)
      const attributes = attributesOf(options)
      const meaning = imported && fromHome(specifier)
      const space = await load(specifier, attributes)
      if (imported && meaning !== undefined) imported(space, meaning, attributes)
      return space
    },
    check: specifier => { if (importers.every(each => each.scheme.replace(/:$/, '') !== schemeOf(specifier))) checkFrom(specifier, cwd()) },
    meta: () => importMeta(cwd),
    require: requireFrom(cwd, path => { edited.refresh(path) }, required),
  }
}

const onBun = process.versions['bun'] !== undefined

/** bun ignores the query of a file URL, but not that of a path. */
function native(url: string, attributes: Attributes | undefined): Promise<unknown> {
  const [bare = url, query] = url.split('?')
  const target = onBun && url.startsWith('file:') ? fileURLToPath(bare) + (query === undefined ? '' : `?${query}`) : url
  return attributes ? import(target, { with: attributes }) : import(target)
}

function attributesOf(options: unknown): Attributes | undefined {
  const given = (options as { with?: Attributes } | undefined)?.with
  return given && Object.keys(given).length > 0 ? given : undefined
}

/** A cell stands in the working directory and is the main module. */
function importMeta(cwd: () => string): object {
  const dir = cwd()
  return {
    __proto__: null, url: `${pathToFileURL(dir).href}/`, dir, dirname: dir, main: true,
    resolve: (specifier: string) => resolveFrom(specifier, cwd()),
  }
}

/** `require` as in a file of the working directory. */
function requireFrom(cwd: () => string, refresh: (path: string) => void, required?: Parts['required']): Modules['require'] {
  const here = (): NodeJS.Require => createRequire(`${cwd()}/cell.js`)
  const require = (specifier: string): unknown => {
    const from = here()
    if (/^\.{0,2}\//.test(specifier)) refresh(from.resolve(specifier))
    const value: unknown = from(specifier)
    required?.(value, specifier)
    return value
  }
  return Object.assign(require, {
    resolve: Object.assign((specifier: string, options?: Parameters<NodeJS.RequireResolve>[1]) => here().resolve(specifier, options), { paths: (specifier: string) => here().resolve.paths(specifier) }),
    cache: here().cache, main: undefined,
  })
}
