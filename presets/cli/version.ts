import { createRequire } from 'node:module'

/** The version of this package, also when it runs from its sources. */
export const version = (): string => (createRequire(import.meta.url)('pi-rlm/package.json') as { version: string }).version
