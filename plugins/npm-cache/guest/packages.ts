import path from 'node:path'
import { readdirSync } from './builtins.ts'
import { type PackageImporter, keyOf } from './importer.ts'
import type { Layout } from './layout.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { expire, listResolutions } from './resolutions.ts'
import { parseSpecifier } from './specifier.ts'

/** A cached package, as `rlm.packages()` lists it. */
export interface CachedPackage {
  readonly name: string
  readonly version: string
  /** Tags and ranges that stand for this version. */
  readonly asked: readonly string[]
  readonly files: number
  readonly bytes: number
  readonly installedAt: string
  /** Packages of it whose install scripts were not run. */
  readonly unrunScripts: readonly string[]
}

/** `refresh` names a specifier, or is true for all: the next import of it asks the registry again. */
export interface PackagesRequest { readonly refresh?: string | boolean }

/** What `rlm.packages` does. */
export async function packages(layout: Layout, importer: PackageImporter, { refresh = false }: PackagesRequest = {}): Promise<CachedPackage[]> {
  if (refresh !== false) await forget(layout, importer, refresh)
  const asked = listResolutions(layout)
  return listManifests(layout).map(({ name, version, files, bytes, installedAt, unrunScripts }) => ({
    name, version, asked: asked.filter(one => one.name === name && one.version === version).map(one => one.range),
    files: files.length, bytes, installedAt, unrunScripts,
  }))
}

const listManifests = (layout: Layout): Manifest[] =>
  readdirSync(layout.entries).flatMap(name => readManifest(path.join(layout.entries, name)) ?? [])

async function forget(layout: Layout, importer: PackageImporter, refresh: string | true): Promise<void> {
  const key = refresh === true ? undefined : keyOf(parseSpecifier(refresh))
  const wanted = (one: string) => key === undefined || one === key
  for (const resolution of listResolutions(layout)) if (wanted(keyOf(resolution))) await expire(layout, resolution)
  importer.unpin(wanted)
}
