import type { NpmErrorCode } from './errors.ts'
import type { Layout } from './layout.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { readdirSync } from './builtins.ts'
import path from 'node:path'
import type { PackageRequest } from './specifier.ts'

/** Failures of the way to the registry: what is cached may stand in. Any other answer of the registry is final. */
export const isUnreachable = (code: NpmErrorCode): boolean => code === 'NPM_NO_NETWORK' || code === 'NPM_TIMEOUT' || code === 'NPM_NO_INSTALLER'

/** Everything that is cached for this runtime. */
export const listManifests = (layout: Layout): Manifest[] =>
  readdirSync(layout.entries).flatMap(name => readManifest(path.join(layout.entries, name)) ?? [])

/** The highest cached version that fits a range; any release fits a tag that was never resolved only when it is `latest`. */
export async function bestCached(layout: Layout, { name, range }: PackageRequest): Promise<string | undefined> {
  const { default: semver } = await import('semver')
  const versions = listManifests(layout).filter(manifest => manifest.name === name).map(manifest => manifest.version)
  return semver.maxSatisfying(versions, range === 'latest' ? '*' : range) ?? undefined
}
