import { fileURLToPath } from 'node:url'
import { readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { preset } from 'pi-rlm/presets/default'
import type { GuestName } from './measure.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const known = new Map<GuestName, readonly string[]>()

/** The node builtins that a starting guest loads, by the sources it is bundled from: those of its entry and of the preset's halves. */
export async function builtinsOf(guest: GuestName): Promise<readonly string[]> {
  const found = known.get(guest) ?? await collect(guest)
  known.set(guest, found)
  return found
}

async function collect(guest: GuestName): Promise<readonly string[]> {
  const halves = preset.plugins.flatMap(plugin => plugin.guest ?? []).map(({ name }) => `plugins/${name}/guest.ts`)
  const entryPoints = ['guest/main.ts', `guest/processes/${guest}.ts`, ...halves]
  const { metafile } = await build({ absWorkingDir: root, entryPoints, outdir: 'never', bundle: true, platform: 'node', format: 'esm', external: ['typescript'], write: false, metafile: true, logLevel: 'silent' })
  const builtins = new Set<string>()
  const seen = new Set<string>()
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    for (const { path: to, kind, external } of metafile.inputs[path]?.imports ?? []) {
      if (kind === 'dynamic-import') continue
      if (external !== true) visit(to)
      else if (/^node:|^(util|events)$/.test(to)) builtins.add(to.replace(/^node:/, ''))
    }
    // What only one of the runtimes needs is required where it is used.
    if (guest === 'node') for (const [, name = ''] of readFileSync(`${root}${path}`, 'utf8').matchAll(/createRequire\(import\.meta\.url\)\('node:([^']+)'\)/g)) builtins.add(name)
  }
  for (const path of entryPoints) visit(path)
  return [...builtins].sort()
}
