import path from 'node:path'
import { existsSync, now, randomBytes, renameSync } from './builtins.ts'
import { NpmImportError, systemCode } from './errors.ts'
import { type Layout, entryFolder } from './layout.ts'
import { type Manifest, damageOf, readManifest } from './manifest.ts'

/** What a look at an entry finds. */
export type EntryState = { readonly status: 'absent' } | { readonly status: 'sound'; readonly folder: string; readonly manifest: Manifest }
  | { readonly status: 'damaged'; readonly folder: string; readonly what: string }

/** Looks at the entry of an exact version and checks it against its manifest. */
export async function inspect(layout: Layout, name: string, version: string): Promise<EntryState> {
  const folder = entryFolder(layout, name, version)
  if (!existsSync(folder)) return { status: 'absent' }
  const manifest = readManifest(folder)
  if (manifest === undefined) return { status: 'damaged', folder, what: 'its manifest cannot be read' }
  const what = await damageOf(folder, manifest)
  return what === undefined ? { status: 'sound', folder, manifest } : { status: 'damaged', folder, what }
}

/** Takes a damaged entry out of the way, kept for whoever wants to look at it. */
export function setAside(layout: Layout, folder: string): void {
  try {
    renameSync(folder, path.join(layout.aside, `${path.basename(folder)}.${now()}.${randomBytes(3).toString('hex')}`))
  } catch (error) {
    // Another session was faster.
    if (systemCode(error) !== 'ENOENT') throw error
  }
}

/**
 * Gives a staged entry its final name. When another session has published that version already, its entry stays and
 * `staged` is left to be thrown away.
 */
export async function publish(layout: Layout, staged: string, name: string, version: string): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt++) {
    if (moved(staged, entryFolder(layout, name, version))) return
    const state = await inspect(layout, name, version)
    if (state.status === 'sound') return
    if (state.status === 'damaged') setAside(layout, state.folder)
  }
  throw new NpmImportError('NPM_DAMAGED', `${name} ${version} could not be put into the cache: ${entryFolder(layout, name, version)} is damaged and cannot be moved. Remove it, then import again.`)
}

function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (TAKEN.has(systemCode(error) ?? '')) return false
    throw error
  }
}

/** What systems answer when the new name exists. */
const TAKEN: ReadonlySet<string> = new Set(['ENOTEMPTY', 'EEXIST', 'EISDIR', 'EPERM'])
