import os from 'node:os'
import path from 'node:path'
import { createHash, existsSync, mkdirSync, realpathSync } from './builtins.ts'

/** Where things are kept. Everything under `base` belongs to one runtime, ABI and platform. */
export interface Layout {
  readonly root: string
  readonly base: string
  /** One folder per exact name and version. */
  readonly entries: string
  /** Installs under way; each folder's name says whose it is. */
  readonly staging: string
  /** Damaged entries, kept for a while. */
  readonly aside: string
  /** Which exact version a tag or range stands for, and since when. */
  readonly resolved: string
  /** Failures, for those who waited for the same install. */
  readonly failures: string
  /** The installer's own download cache. */
  readonly downloads: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The cache folder: PI_RLM_NPM_CACHE_DIR, else XDG_CACHE_HOME/pi-rlm/npm, else ~/.cache/pi-rlm/npm. */
export function cacheRoot(env: Environment): string {
  const own = env['PI_RLM_NPM_CACHE_DIR']
  if (own) return path.resolve(own)
  const xdg = env['XDG_CACHE_HOME']
  // The XDG specification asks to ignore a relative path.
  const cache = xdg && path.isAbsolute(xdg) ? xdg : path.join(env['HOME'] ?? os.homedir(), '.cache')
  return path.join(cache, 'pi-rlm', 'npm')
}

/** The parts of the cache for this runtime; packages that may run install scripts live apart from those that may not. */
export function layoutOf(root: string, scripts: readonly string[]): Layout {
  const allowed = scripts.length === 0 ? '' : `-scripts-${shortHash([...scripts].sort().join('\n'))}`
  const base = path.join(root, platformKey() + allowed)
  const at = (name: string) => path.join(base, name)
  return { root, base, entries: at('entries'), staging: at('staging'), aside: at('aside'), resolved: at('resolved'), failures: at('failures'), downloads: at('downloads') }
}

/** Makes the folders and answers the layout by its real paths, which is what resolved modules are compared with. */
export function createLayout(layout: Layout): Layout {
  mkdirSync(layout.root, { recursive: true, mode: 0o700 })
  for (const folder of [layout.entries, layout.staging, layout.aside, layout.resolved, layout.failures]) mkdirSync(folder, { recursive: true })
  const real = realpathSync(layout.base)
  const moved = (folder: string) => path.join(real, path.relative(layout.base, folder))
  return { root: layout.root, base: real, entries: moved(layout.entries), staging: moved(layout.staging), aside: moved(layout.aside),
    resolved: moved(layout.resolved), failures: moved(layout.failures), downloads: moved(layout.downloads) }
}

/** What the folder of an exact version is called; a `+` takes the place of a scope's slash. */
export const entryName = (name: string, version: string): string => `${name.replace('/', '+')}@${version}`

/** The folder of an exact version. */
export const entryFolder = (layout: Layout, name: string, version: string): string => path.join(layout.entries, entryName(name, version))

/** A short name for something that cannot be a file's name. */
export function shortHash(text: string): string {
  const hash = createHash('sha256')
  hash.update(text)
  return hash.digest('hex').slice(0, 24)
}

function platformKey(): string {
  const { bun, modules } = process.versions as Partial<Record<'bun' | 'modules', string>>
  const musl = process.platform === 'linux' && existsSync(`/lib/ld-musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`)
  return [bun === undefined ? 'node' : 'bun', modules, process.platform, process.arch, ...(musl ? ['musl'] : [])].join('-')
}
