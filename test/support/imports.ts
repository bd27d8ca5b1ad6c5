import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** One import as it stands in a source; `type` when it is erased by the compiler, `lazy` when it loads at a call. */
export interface Import { readonly from: string; readonly to: string; readonly type: boolean; readonly lazy: boolean }

const STATEMENT = /^\s*(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm

/** Every import of every source of the package; relative ones as paths below the root. */
export function importsOf(folder: string): readonly Import[] {
  return sources(join(root, folder)).flatMap(path => {
    const from = relative(root, path)
    return [...readFileSync(path, 'utf8').matchAll(STATEMENT)].map(([, type, target = '', dynamic = '']) => {
      const specifier = target || dynamic
      return { from, type: type !== undefined, lazy: target === '', to: specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : specifier }
    })
  })
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts')).map(entry => join(entry.parentPath, entry.name))
}

/** Whether a source runs in the guest. */
export const isGuestCode = (path: string): boolean => /^guest\//.test(path) || /^plugins\/[^/]+\/guest(\.ts|\/)/.test(path)
