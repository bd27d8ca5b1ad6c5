import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

const compiled = import.meta.url.endsWith('.js')
/** The folder of the sources, or of the compiled code when this runs compiled. */
const here = fileURLToPath(new URL('../../', import.meta.url))
const dist = compiled ? here : `${here}dist/`

/** The compiled entry of a guest: the first of the bundles that was built, else the modules as they are. */
const entry = (...bundles: readonly string[]): string => [...bundles.map(name => `${dist}guest/${name}`).filter(existsSync), `${dist}guest/main.js`][0] as string

/** The bundle with bytecode beside it, which another version of bun leaves alone. */
export const bunEntry = entry('main.bun.cjs', 'main.cjs')
export const nodeEntry = entry('main.cjs')

/**
 * The module a guest loads for a half: a source of this package stands for its compiled and bundled form, since a node
 * guest cannot run TypeScript and a bundle starts faster. Halves from elsewhere are loaded as they are.
 */
export function compiledHalf(url: string): string {
  const path = url.startsWith('file:') ? fileURLToPath(url) : url
  if (compiled || !path.startsWith(here) || path.startsWith(dist) || !path.endsWith('.ts')) return url
  const within = path.slice(here.length)
  const ours = /^(plugins|guest|presets)\//.test(within)
  return ours ? pathToFileURL(dist + within.replace(/\.ts$/, '.js')).href : url
}
