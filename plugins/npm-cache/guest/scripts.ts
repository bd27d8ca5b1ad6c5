import path from 'node:path'
import { existsSync, parse, readFileSync, readdirSync } from './builtins.ts'

const MOMENTS = ['preinstall', 'install', 'postinstall'] as const

/** Names of the installed packages that have install scripts, the allowed ones left out. */
export function unrunScripts(entry: string, allowed: readonly string[]): string[] {
  const found = new Set<string>()
  for (const folder of packagesIn(path.join(entry, 'node_modules'))) {
    const name = scripted(folder)
    if (name !== undefined && !allowed.includes(name)) found.add(name)
  }
  return [...found].sort()
}

function scripted(folder: string): string | undefined {
  try {
    const { name, scripts } = parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { name?: string; scripts?: Record<string, unknown> }
    const has = MOMENTS.some(moment => scripts?.[moment] !== undefined) || existsSync(path.join(folder, 'binding.gyp'))
    return has ? name : undefined
  } catch { return undefined }
}

function* packagesIn(modules: string): Generator<string> {
  for (const folder of foldersIn(modules)) {
    const name = path.basename(folder)
    if (name.startsWith('.')) continue
    for (const one of name.startsWith('@') ? foldersIn(folder) : [folder]) {
      yield one
      yield* packagesIn(path.join(one, 'node_modules'))
    }
  }
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).filter(item => item.isDirectory()).map(item => path.join(folder, item.name))
}
