import path from 'node:path'
import { freeBytes, mkdirSync, now, parse, readFileSync, rm, stringify, writeFileSync } from './builtins.ts'
import { claimed } from './claim.ts'
import { diagnose } from './diagnose.ts'
import { folderFor, writeLoader } from './entry.ts'
import { NpmImportError, systemFailure } from './errors.ts'
import { installerFor } from './installer.ts'
import { type Layout, entryFolder } from './layout.ts'
import { type Manifest, readManifest, writeManifest } from './manifest.ts'
import { type Environment, readSettings } from './npmrc.ts'
import { publish } from './publish.ts'
import { redactor } from './redact.ts'
import { readResolution, writeResolution } from './resolutions.ts'
import { run } from './run.ts'
import { unrunScripts } from './scripts.ts'
import { type PackageRequest, isExact } from './specifier.ts'

export interface InstallOptions { readonly scripts: readonly string[]; readonly timeoutMs: number; readonly stallMs: number }
/** Where an install happens: the user's environment, and the folder whose npm configuration counts. */
export interface Surroundings { readonly env: Environment; readonly cwd: string | undefined }

/** Installs what is asked for into the cache and answers the exact version's manifest. */
export function install(layout: Layout, request: PackageRequest, options: InstallOptions, around: Surroundings, signal: AbortSignal): Promise<Manifest> {
  const asked = `${request.name}@${request.range}`
  return claimed(layout, {
    request: asked, signal,
    done: since => publishedSince(layout, request, since),
    work: async claim => {
      const staged = path.join(claim.folder, 'entry')
      const manifest = await stage(layout, request, staged, path.join(claim.folder, 'tmp'), options, around, signal)
      await publish(layout, staged, request.name, manifest.version)
      if (!request.exact) writeResolution(layout, claim.folder, { name: request.name, range: request.range, version: manifest.version })
      return manifest
    },
  })
}

/** What another session made of the same request while this one waited. */
function publishedSince(layout: Layout, { name, range, exact }: PackageRequest, since: number): Manifest | undefined {
  const resolution = exact ? { version: range, at: now() } : readResolution(layout, name, range)
  return resolution !== undefined && resolution.at >= since ? readManifest(entryFolder(layout, name, resolution.version)) : undefined
}

async function stage(layout: Layout, request: PackageRequest, entry: string, temp: string, options: InstallOptions, { env, cwd }: Surroundings, signal: AbortSignal): Promise<Manifest> {
  mkdirSync(entry)
  mkdirSync(temp)
  const settings = readSettings(cwd, env)
  const installer = installerFor({ entry, temp, downloads: layout.downloads, scripts: options.scripts, env, settings })
  const folder = folderFor(request.name)
  const wanted = folder === request.name ? request.range : `npm:${request.name}@${request.range}`
  writeFileSync(path.join(entry, 'package.json'), stringify({ name: 'pi-rlm-npm-entry', private: true, dependencies: { [folder]: wanted }, ...installer.fields }))
  const npmrc = path.join(entry, '.npmrc')
  writeFileSync(npmrc, installer.npmrc, { mode: 0o600 })
  const limits = { ...options, signal, group: options.scripts.length > 0 }
  for (const step of installer.steps) {
    const end = await run(step, entry, installer.env, limits)
    if (!end.ok) {
      throw systemFailure(request.title, layout.root, end.error) ?? diagnose(request.title, end, redactor(settings, env)(end.output), { ...options, freeBytes: freeBytes(entry) })
    }
  }
  await rm(npmrc)
  writeLoader(entry)
  return writeManifest(entry, {
    name: request.name, version: installedVersion(entry, folder, request), folder, installer: installer.label,
    installedAt: new Date().toISOString(), unrunScripts: unrunScripts(entry, options.scripts),
  })
}

function installedVersion(entry: string, folder: string, request: PackageRequest): string {
  const file = path.join(entry, 'node_modules', folder, 'package.json')
  const { version } = parse(readFileSync(file, 'utf8')) as { version?: unknown }
  // The version becomes part of a path, and a registry can serve anything.
  const plain = typeof version === 'string' ? version.replace(/\+.*$/s, '') : ''
  if (!isExact(plain) || (request.exact && plain !== request.range)) {
    throw new NpmImportError('NPM_BAD_HASH', `'${request.title}' was not installed: the registry's package says that its version is ${stringify(version)}.`)
  }
  return plain
}
