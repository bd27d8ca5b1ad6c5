import path from 'node:path'
import { afterTurn, closeSync, createHash, lstatSync, now, openSync, parse, readFileSync, readSync, readdirSync, readlinkSync, renameSync, stringify, writeFileSync } from './builtins.ts'

/** One file of an entry: path, size, hash, and the marks that change whenever somebody writes to it. */
type FileRow = readonly [path: string, bytes: number, sha256: string, mtimeMs: number, ctimeMs: number, inode: number]

/** What an entry is and what it holds; written before the entry gets its final name. */
export interface Manifest {
  readonly format: typeof FORMAT
  readonly name: string
  readonly version: string
  /** The folder under `node_modules`; not the name for a package that is named like a builtin module. */
  readonly folder: string
  readonly installer: string
  readonly installedAt: string
  /** Packages whose install scripts were not run. */
  readonly unrunScripts: readonly string[]
  readonly bytes: number
  readonly files: readonly FileRow[]
  readonly links: readonly (readonly [path: string, target: string])[]
}

const FILE = 'manifest.json'
/** Raised when a later version writes entries that this one would misread. */
const FORMAT = 1
/** Longest stretch of hashing before other work gets a turn. */
const TURN_MS = 15
const CHUNK = Buffer.allocUnsafe(1 << 20)

/** Hashes everything in a staged entry and writes its manifest. */
export async function writeManifest(entry: string, about: Omit<Manifest, 'format' | 'bytes' | 'files' | 'links'>): Promise<Manifest> {
  const turns = takingTurns()
  const files: FileRow[] = []
  const links: [string, string][] = []
  for (const item of walk(entry, '')) {
    if (item.target !== undefined) links.push([item.path, item.target])
    else files.push(rowOf(entry, item.path))
    await turns()
  }
  const bytes = files.reduce((sum, [, size]) => sum + size, 0)
  const manifest: Manifest = { format: FORMAT, ...about, bytes, files, links }
  writeFileSync(path.join(entry, FILE), stringify(manifest))
  return manifest
}

/** The manifest of an entry; undefined when there is none that can be read. */
export function readManifest(entry: string): Manifest | undefined {
  try {
    const manifest = parse(readFileSync(path.join(entry, FILE), 'utf8')) as Manifest | { readonly format: unknown }
    return manifest.format === FORMAT ? manifest as Manifest : undefined
  } catch { return undefined }
}

/**
 * Compares an entry with its manifest; answers what is wrong, or undefined. A file whose size, times and inode are
 * those of the last check is taken as unchanged: any write moves its ctime. Everything else is hashed again.
 */
export async function damageOf(entry: string, manifest: Manifest): Promise<string | undefined> {
  const turns = takingTurns()
  let moved = false
  const files: FileRow[] = []
  for (const row of manifest.files) {
    await turns()
    const fresh = recheck(entry, row)
    if (typeof fresh === 'string') return fresh
    moved ||= fresh !== row
    files.push(fresh)
  }
  for (const [file, target] of manifest.links) {
    if (linkAt(path.join(entry, file)) !== target) return `${file} is not the link it was`
  }
  if (moved) remember(entry, { ...manifest, files })
  return undefined
}

function recheck(entry: string, row: FileRow): FileRow | string {
  const [file, bytes, hash, mtimeMs, ctimeMs, inode] = row
  try {
    const stat = lstatSync(path.join(entry, file))
    if (!stat.isFile() || stat.size !== bytes) return `${file} has changed`
    if (stat.mtimeMs === mtimeMs && stat.ctimeMs === ctimeMs && stat.ino === inode) return row
    const fresh = rowOf(entry, file)
    return fresh[2] === hash ? fresh : `${file} has changed`
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return `${file} is missing`
    throw error
  }
}

/** Keeps the new marks of files that moved but did not change; a read-only cache works without. */
function remember(entry: string, manifest: Manifest): void {
  const fresh = path.join(entry, `${FILE}.${process.pid}`)
  try {
    writeFileSync(fresh, stringify(manifest))
    renameSync(fresh, path.join(entry, FILE))
  } catch { /* the next check hashes again */ }
}

function rowOf(entry: string, file: string): FileRow {
  const full = path.join(entry, file)
  const hash = hashOf(full)
  const { size, mtimeMs, ctimeMs, ino } = lstatSync(full)
  return [file, size, hash, mtimeMs, ctimeMs, ino]
}

function hashOf(file: string): string {
  const hash = createHash('sha256')
  const descriptor = openSync(file, 'r')
  try {
    for (let count = readSync(descriptor, CHUNK); count > 0; count = readSync(descriptor, CHUNK)) hash.update(CHUNK.subarray(0, count))
  } finally { closeSync(descriptor) }
  return hash.digest('hex')
}

interface Item { readonly path: string; readonly target?: string }

function* walk(root: string, folder: string): Generator<Item> {
  for (const item of readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const below = path.join(folder, item.name)
    if (item.isDirectory()) yield* walk(root, below)
    else if (item.isSymbolicLink()) yield { path: below, target: readlinkSync(path.join(root, below)) }
    else if (item.isFile() && below !== FILE) yield { path: below }
  }
}

function linkAt(file: string): string | undefined {
  try { return readlinkSync(file) } catch { return undefined }
}

function takingTurns(): () => Promise<void> | undefined {
  let until = now() + TURN_MS
  return () => now() < until ? undefined : new Promise(resolve => afterTurn(() => { until = now() + TURN_MS; resolve() }))
}
