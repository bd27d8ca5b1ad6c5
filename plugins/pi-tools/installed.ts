import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RlmError } from '../../kernel/errors.ts'
import { BUILT_IN, factorySource, type PiTool, type ToolFactories } from './factories.ts'
import type { ToolSource } from './source.ts'

const PACKAGES = ['@earendil-works/pi-coding-agent', '@mariozechner/pi-coding-agent']

/** The tools of an installed pi, for a notebook that runs outside of it. */
export async function installedTools(cwd: string, env: Readonly<Record<string, string | undefined>>): Promise<ToolSource> {
  const entries = [...fromModules(cwd), ...fromModules(import.meta.url), ...fromPath(env['PATH'] ?? '')]
  let cause: Error | undefined
  for (const entry of entries) {
    try {
      return factorySource(factoriesOf(await import(pathToFileURL(entry).href) as Record<string, unknown>), cwd)
    } catch (error) {
      cause ??= error as Error
    }
  }
  throw notFound(cause)
}

const notFound = (cause: Error | undefined): RlmError => cause === undefined
  ? new RlmError('PI_MISSING', 'ToolError', 'pi\'s tools need pi: run the notebook inside pi, or install it with `npm install -g @earendil-works/pi-coding-agent` (Node 22.19 or newer). Without it use node:fs and Bun.$.')
  : new RlmError('PI_MISSING', 'ToolError', `pi was found and could not be loaded (${cause.message}). pi 1.6 needs Node 22.19 or newer.`, cause)

/** Main modules of pi's package as seen from a folder or module. */
function fromModules(from: string): string[] {
  const require = createRequire(from.startsWith('file:') ? from : join(from, 'noop.js'))
  return PACKAGES.flatMap(name => (require.resolve.paths(name) ?? []).map(folder => join(folder, name))).flatMap(mainOf)
}

/** The package behind a `pi` on PATH. */
function fromPath(path: string): string[] {
  const program = path.split(delimiter).map(folder => join(folder, 'pi')).find(existsSync)
  if (program === undefined) return []
  for (let folder = dirname(realpathSync(program)); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return mainOf(folder)
  }
  return []
}

function mainOf(folder: string): string[] {
  try {
    const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string; exports?: { '.'?: { import?: string } } }
    return PACKAGES.includes(name) ? [join(folder, exports?.['.']?.import ?? 'dist/index.js')] : []
  } catch {
    return []
  }
}

/** `createReadToolDefinition` and its like, by the tool's name. */
export function factoriesOf(module: Readonly<Record<string, unknown>>): ToolFactories {
  return Object.fromEntries(BUILT_IN.flatMap(name => {
    const factory = module[`create${name.charAt(0).toUpperCase()}${name.slice(1)}ToolDefinition`]
    return typeof factory === 'function' ? [[name, factory as (cwd: string) => PiTool]] : []
  }))
}
