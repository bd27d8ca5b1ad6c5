import path from 'node:path'
import { existsSync, readFileSync } from './builtins.ts'

export type Environment = Readonly<Record<string, string | undefined>>
export type Setting = readonly [key: string, value: string]

/** The lines of an `.npmrc`, with `${NAME}` filled in from the environment. */
export function parseNpmrc(text: string, env: Environment): Setting[] {
  return text.split(/\r?\n/).flatMap(line => {
    const [, key = '', value] = /^\s*([^#;=\s][^=]*?)\s*(?:=\s*(.*?)\s*)?$/.exec(line) ?? []
    if (key === '') return []
    const plain = (value ?? 'true').replace(/^(["'])(.*)\1$/, '$2')
    return [[key, plain.replace(/\$\{([^}]+)\}/g, (whole, name: string) => env[name] ?? whole)] as const]
  })
}

/** The settings of the project around a folder, of the user, and of `npm_config_*` variables. */
export interface NpmSettings { readonly project: readonly Setting[]; readonly user: readonly Setting[]; readonly env: readonly Setting[] }

/** Reads the npm configuration that applies to a folder. */
export function readSettings(cwd: string | undefined, env: Environment): NpmSettings {
  const read = (file: string): Setting[] => {
    try { return parseNpmrc(readFileSync(file, 'utf8'), env) } catch { return [] }
  }
  const fromEnv = Object.entries(env).flatMap(([name, value]): Setting[] =>
    value !== undefined && /^npm_config_/i.test(name) ? [[name.slice('npm_config_'.length), value]] : [])
  const userFile = fromEnv.find(([key]) => key.toLowerCase() === 'userconfig')?.[1] ?? path.join(env['HOME'] ?? env['USERPROFILE'] ?? '', '.npmrc')
  return { project: cwd === undefined ? [] : read(path.join(projectOf(cwd), '.npmrc')), user: read(userFile), env: fromEnv }
}

/** The folder npm would take as the project: the nearest with a package.json or node_modules, else the folder itself. */
function projectOf(cwd: string): string {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json')) || existsSync(path.join(folder, 'node_modules'))) return folder
    if (path.dirname(folder) === folder) return cwd
  }
}

/** Settings as a file that refers to environment variables, so that no secret is written to disk. */
export function byReference(settings: readonly Setting[]): { readonly text: string; readonly env: Readonly<Record<string, string>> } {
  const env: Record<string, string> = {}
  const lines = settings.map(([key, value], index) => {
    env[`PI_RLM_NPMRC_${index}`] = value
    return `${key}=\${PI_RLM_NPMRC_${index}}\n`
  })
  return { text: lines.join(''), env }
}

/** Proxy variables for an installer that does not read npm's proxy settings; what the environment sets already wins. */
export function proxyVariables({ project, user, env }: NpmSettings, current: Environment): Record<string, string> {
  const settings = new Map([...user, ...project, ...env].map(([key, value]) => [key.toLowerCase().replaceAll('_', '-'), value]))
  const http = settings.get('proxy')
  const found = { HTTP_PROXY: http, HTTPS_PROXY: settings.get('https-proxy') ?? http, NO_PROXY: settings.get('noproxy') }
  const fresh = Object.entries(found).filter(([name, value]) => isSet(value) && !current[name] && !current[name.toLowerCase()])
  return Object.fromEntries(fresh) as Record<string, string>
}

const isSet = (value: string | undefined): boolean => value !== undefined && !['', 'null', 'false', 'undefined'].includes(value)
