import path from 'node:path'
import { existsSync, realpathSync } from './builtins.ts'
import { NpmImportError } from './errors.ts'
import { type Environment, type NpmSettings, byReference, proxyVariables } from './npmrc.ts'

/** A program run in the staged entry. */
export interface Step { readonly command: string; readonly args: readonly string[] }
/** What it takes to install what the entry's package.json asks for. */
export interface Installer {
  readonly label: string
  readonly steps: readonly Step[]
  readonly env: Readonly<Record<string, string>>
  /** Text of the entry's `.npmrc` while it is installed. */
  readonly npmrc: string
  /** More fields of the entry's package.json. */
  readonly fields: Readonly<Record<string, unknown>>
}

interface InstallPlan {
  readonly entry: string
  readonly downloads: string
  readonly temp: string
  readonly scripts: readonly string[]
  readonly env: Environment
  readonly settings: NpmSettings
}

/** Variables that would turn the install into something else, set when this process was started by a package script. */
const FOREIGN = /^(?:npm_(?:package|lifecycle)_|npm_config_(?:global|location|prefix|local_prefix|workspaces?|dry_run|json|omit|include|only|also|production|package_lock_only|install_links|save.*|ignore_scripts)$|BUN_INSTALL_CACHE_DIR$)/i

/** The runtime's own package manager: bun installs for bun, npm for node. */
export function installerFor(plan: InstallPlan): Installer {
  const { bun } = process.versions as { bun?: string }
  return bun === undefined ? npmInstaller(plan) : bunInstaller(plan, bun)
}

function bunInstaller({ downloads, temp, scripts, env, settings }: InstallPlan, version: string): Installer {
  // bun reads `.npmrc`, but no scope or login from the environment.
  const scoped = settings.env.filter(([key]) => /^(?:@|\/\/)/.test(key))
  const { text, env: values } = byReference([...settings.project, ...scoped])
  // Copies, not hard links: damage to an entry must not reach the download cache.
  const args = ['install', '--production', '--backend=copyfile', '--linker=hoisted', '--no-save', '--no-progress', '--no-env-file', `--cache-dir=${downloads}`,
    // A manifest that is minutes old must not hide a release that was asked for.
    '--no-cache', ...(scripts.length === 0 ? ['--ignore-scripts'] : [])]
  return {
    label: `bun ${version}`, npmrc: text, steps: [{ command: process.execPath, args }],
    env: { ...childEnv(env, temp), ...proxyVariables(settings, env), ...values, BUN_TMPDIR: temp },
    // The list replaces the one bun would trust by default.
    fields: { trustedDependencies: scripts },
  }
}

function npmInstaller({ entry, downloads, temp, scripts, env, settings }: InstallPlan): Installer {
  const { text, env: values } = byReference(settings.project)
  const npm = findNpm(env)
  const common = ['--prefix', entry, '--cache', downloads, '--global=false', '--audit=false', '--fund=false', '--update-notifier=false', '--progress=false',
    '--loglevel=error', '--logs-max=0', '--package-lock=false', '--dry-run=false', '--bin-links=false']
  const install = ['install', ...common, '--install-strategy=hoisted', '--omit=dev', '--include=prod', '--include=optional', '--include=peer',
    '--ignore-scripts', '--prefer-online', '--fetch-retries=2', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=2000', '--fetch-timeout=60000']
  const rebuild = ['rebuild', ...common, '--ignore-scripts=false', '--foreground-scripts=true', ...scripts]
  return {
    label: 'npm', npmrc: text, env: { ...childEnv(env, temp), ...values }, fields: {},
    steps: [install, ...(scripts.length === 0 ? [] : [rebuild])].map(args => ({ command: npm.command, args: [...npm.args, ...args] })),
  }
}

function childEnv(env: Environment, temp: string): Record<string, string> {
  const kept = Object.entries(env).filter(([name, value]) => value !== undefined && !FOREIGN.test(name))
  return { ...Object.fromEntries(kept) as Record<string, string>, TMPDIR: temp, TMP: temp, TEMP: temp }
}

/** npm beside this node, else the npm that started us, else the one on PATH. */
function findNpm(env: Environment): Step {
  const beside = path.dirname(realpathSync(process.execPath))
  const scripts = [path.join(beside, '../lib/node_modules/npm/bin/npm-cli.js'), path.join(beside, 'node_modules/npm/bin/npm-cli.js'), env['npm_execpath']]
  const script = scripts.find(file => file?.endsWith('npm-cli.js') && existsSync(file))
  if (script !== undefined) return { command: process.execPath, args: [script] }
  for (const folder of (env['PATH'] ?? '').split(path.delimiter)) {
    const file = path.join(folder, 'npm')
    if (folder === '' || !existsSync(file)) continue
    const real = realpathSync(file)
    return real.endsWith('.js') ? { command: process.execPath, args: [real] } : { command: file, args: [] }
  }
  throw new NpmImportError('NPM_NO_INSTALLER', `npm was found neither beside ${process.execPath} nor on PATH: install npm, or use a preset with a bun guest.`)
}
