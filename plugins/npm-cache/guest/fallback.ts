import { createRequire } from 'node:module'
import { readdirSync } from './builtins.ts'
import type { NpmErrorCode } from './errors.ts'
import { type Layout, entryName } from './layout.ts'
import type { PackageRequest } from './specifier.ts'

const require = createRequire(import.meta.url)

/** Failures of the way to the registry: what is cached may stand in. Any other answer of the registry is final. */
export const isUnreachable = (code: NpmErrorCode): boolean => code === 'NPM_NO_NETWORK' || code === 'NPM_TIMEOUT' || code === 'NPM_NO_INSTALLER'

/** The highest cached version that fits a range; any release fits a tag that was never resolved only when it is `latest`. */
export function bestCached(layout: Layout, { name, range }: PackageRequest): string | undefined {
  const prefix = entryName(name, '')
  const versions = readdirSync(layout.entries).filter(entry => entry.startsWith(prefix)).map(entry => entry.slice(prefix.length))
  // Loaded here, since few notebooks are ever without a network and it takes a while.
  const semver = require('semver') as typeof import('semver')
  return semver.maxSatisfying(versions, range === 'latest' ? '*' : range) ?? undefined
}
