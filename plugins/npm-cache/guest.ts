import type { Guest } from '../../guest/guest.ts'
import { afterMs, existsSync } from './guest/builtins.ts'
import { PackageImporter } from './guest/importer.ts'
import { type Layout, cacheRoot, createLayout, layoutOf } from './guest/layout.ts'
import { type PackagesRequest, packages } from './guest/packages.ts'
import { sweep } from './guest/staging.ts'

/** Settings of the plugin, as its schema leaves them. */
export interface NpmCacheOptions {
  readonly scripts: string[]
  readonly maxAgeHours: number
  readonly timeoutMs: number
  readonly stallMs: number
}

/** Off the way of the first cell, which is what a starting guest is waited for. */
const SWEEP_AFTER_MS = 200

/** Loads `npm:` imports from a cache of its own, and lists it as `rlm.packages()`. */
export default function npmCache(guest: Guest, options: NpmCacheOptions): void {
  const planned = layoutOf(cacheRoot(process.env), options.scripts)
  let made: Layout | undefined
  const layout = () => made ??= createLayout(planned)
  const importer = new PackageImporter(planned.root, layout, options, () => ({ env: process.env, cwd: currentFolder() }))
  guest.importer({ scheme: 'npm:', load: (specifier, cell, attributes) => importer.load(specifier, cell, attributes) })
  guest.handle('rlm', { packages: (request?: PackagesRequest) => packages(layout(), importer, request) })
  afterMs(() => { if (existsSync(planned.staging)) void sweep(planned) }, SWEEP_AFTER_MS).unref()
}

/** Undefined when a cell's folder was removed. */
function currentFolder(): string | undefined {
  try { return process.cwd() } catch { return undefined }
}
