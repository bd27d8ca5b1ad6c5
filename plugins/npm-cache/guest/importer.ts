import type { CellContext } from '../../../guest/context.ts'
import { now, stringify } from './builtins.ts'
import { cancelled } from './diagnose.ts'
import { importFrom } from './entry.ts'
import { NpmImportError, systemFailure } from './errors.ts'
import { bestCached, isUnreachable } from './fallback.ts'
import { type InstallOptions, type Surroundings, install } from './install.ts'
import { SharedJobs, limiter } from './jobs.ts'
import { type Layout, entryFolder } from './layout.ts'
import type { Manifest } from './manifest.ts'
import { describeInstall, reportProgress } from './progress.ts'
import { inspect, setAside } from './publish.ts'
import { readResolution } from './resolutions.ts'
import { type PackageRequest, parseSpecifier } from './specifier.ts'
import { isTypesOnly } from './types-only.ts'

export interface ImporterOptions extends InstallOptions { readonly maxAgeHours: number }
type Attributes = Readonly<Record<string, string>>
interface Entry { readonly folder: string; readonly manifest: Manifest }

/** Installers at a time in one guest. */
const AT_ONCE = 4
/** How long a silent registry is waited for when a cached version can stand in. */
const STAND_IN_STALL_MS = 12_000
const HOUR_MS = 3600_000
/** A check of an entry's files holds for this long, so that a cell with many paths of one package checks once. */
const CHECK_MS = 1000

/** Loads `npm:` modules for one guest. Within a session a tag or range keeps the version it first stood for. */
export class PackageImporter {
  private readonly modules = new Map<string, unknown>()
  private readonly pinned = new Map<string, string>()
  private readonly checked = new Map<string, { readonly entry: Entry; readonly at: number }>()
  private readonly jobs = new SharedJobs<Manifest>()
  private readonly limit = limiter(AT_ONCE)
  private readonly root: string
  private readonly layout: () => Layout
  private readonly options: ImporterOptions
  private readonly around: () => Surroundings

  constructor(root: string, layout: () => Layout, options: ImporterOptions, around: () => Surroundings) {
    this.root = root
    this.layout = layout
    this.options = options
    this.around = around
  }

  /** Imports a specifier; a second time costs a look-up. */
  async load(specifier: string, cell: CellContext | undefined, attributes?: Attributes): Promise<unknown> {
    const key = attributes === undefined ? specifier : `${specifier} ${stringify(attributes)}`
    if (this.modules.has(key)) return this.modules.get(key)
    const request = parseSpecifier(specifier)
    const entry = await this.ensureNamed(request, cell)
    const module = await this.open(specifier, request, entry, cell, attributes)
    this.modules.set(key, module)
    return module
  }

  private async open(specifier: string, request: PackageRequest, { folder, manifest }: Entry, cell: CellContext | undefined, attributes: Attributes | undefined): Promise<unknown> {
    try {
      return await importFrom(folder, manifest.folder, request.subpath, specifier, attributes)
    } catch (error) {
      if (request.subpath === '' && isTypesOnly(folder, manifest.folder)) return withoutCode(request, manifest, cell)
      throw withScripts(specifier, manifest, error)
    }
  }

  /** Lets the next import look again which version a tag or range stands for. */
  unpin(wanted: (key: string) => boolean): void {
    for (const key of [...this.pinned.keys()]) if (wanted(key)) this.pinned.delete(key)
    this.modules.clear()
  }

  private async ensureNamed(request: PackageRequest, cell: CellContext | undefined): Promise<Entry> {
    try { return await this.ensure(request, cell) } catch (error) { throw systemFailure(request.title, this.root, error) ?? error }
  }

  private async ensure(request: PackageRequest, cell: CellContext | undefined): Promise<Entry> {
    const layout = this.layout()
    const version = this.pinned.get(keyOf(request)) ?? (request.exact ? request.range : this.freshVersion(layout, request))
    if (version === undefined) return this.resolve(layout, request, cell)
    const known = this.checked.get(entryFolder(layout, request.name, version))
    if (known !== undefined && now() - known.at < CHECK_MS) return this.pin(request, known.entry, cell)
    const state = await inspect(layout, request.name, version)
    if (state.status === 'sound') return this.pin(request, this.keep(state), cell)
    if (state.status === 'damaged') {
      cell?.print('stderr', `${request.title}: the cached ${request.name} ${version} is damaged (${state.what}); installing it again\n`)
      setAside(layout, state.folder)
    }
    return this.install(layout, { ...request, range: version, exact: true }, request, cell, this.options)
  }

  private freshVersion(layout: Layout, { name, range }: PackageRequest): string | undefined {
    const kept = readResolution(layout, name, range)
    const age = now() - (kept?.at ?? 0)
    // A record from the future tells of a clock that was set back: it would never grow old.
    return kept !== undefined && age >= 0 && age < this.options.maxAgeHours * HOUR_MS ? kept.version : undefined
  }

  /** Asks the registry; when it cannot be reached, the best cached version stands in. */
  private async resolve(layout: Layout, request: PackageRequest, cell: CellContext | undefined): Promise<Entry> {
    const standIn = readResolution(layout, request.name, request.range)?.version ?? bestCached(layout, request)
    const stallMs = standIn === undefined ? this.options.stallMs : Math.min(this.options.stallMs, STAND_IN_STALL_MS)
    try {
      return await this.install(layout, request, request, cell, { ...this.options, stallMs })
    } catch (error) {
      if (standIn === undefined || !(error instanceof NpmImportError) || !isUnreachable(error.code)) throw error
      const state = await inspect(layout, request.name, standIn)
      if (state.status !== 'sound') throw error
      cell?.print('stderr', `${request.title}: the registry could not be asked; the cache stands in\n`)
      return this.pin(request, state, cell)
    }
  }

  private async install(layout: Layout, wanted: PackageRequest, request: PackageRequest, cell: CellContext | undefined, options: InstallOptions): Promise<Entry> {
    const started = now()
    const done = reportProgress(cell, request.title)
    try {
      const manifest = await this.jobs.run(keyOf(wanted), cell?.signal,
        signal => this.limit(() => install(layout, wanted, options, this.around(), signal)), () => cancelled(request.title))
      const entry = this.keep({ folder: entryFolder(layout, manifest.name, manifest.version), manifest })
      return this.pin(request, entry, cell, describeInstall(manifest, now() - started))
    } finally { done() }
  }

  private keep({ folder, manifest }: Entry): Entry {
    const entry = { folder, manifest }
    this.checked.set(folder, { entry, at: now() })
    return entry
  }

  private pin(request: PackageRequest, entry: Entry, cell: CellContext | undefined, note = ''): Entry {
    const { name, version } = entry.manifest
    const told = this.pinned.get(keyOf(request)) === version
    this.pinned.set(keyOf(request), version)
    if (!told && (note !== '' || !request.exact)) cell?.print('stderr', `${request.title}: ${name} ${version}${note}\n`)
    return entry
  }
}

/** What tells one request for versions from another. */
export const keyOf = ({ name, range }: Pick<PackageRequest, 'name' | 'range'>): string => `${name}@${range}`

/** An import of a package that only declares types is erased by compilers; here it gives a module without names. */
function withoutCode(request: PackageRequest, { name, version }: Manifest, cell: CellContext | undefined): unknown {
  cell?.print('stderr', `${request.title}: ${name} ${version} has types and no code; \`import type\` would do\n`)
  return Object.freeze(Object.create(null, { [Symbol.toStringTag]: { value: 'Module' } }))
}

function withScripts(specifier: string, { unrunScripts }: Manifest, error: unknown): unknown {
  if (unrunScripts.length === 0 || error instanceof NpmImportError) return error
  const reason = error instanceof Error ? error.message : String(error)
  const names = unrunScripts.map(name => `'${name}'`).join(', ')
  return new NpmImportError('NPM_SCRIPT_REFUSED',
    `'${specifier}' could not be loaded: ${reason}\nInstall scripts were not run. If it needs them, allow them with the option scripts: [${names}] of npm-cache.`, error)
}
