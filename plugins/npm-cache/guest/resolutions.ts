import path from 'node:path'
import { now, parse, readFileSync, readdirSync, renameSync, rm, stringify, writeFileSync } from './builtins.ts'
import { type Layout, shortHash } from './layout.ts'

/** What a tag or range stood for when the registry was last asked. */
export interface Resolution { readonly name: string; readonly range: string; readonly version: string; readonly at: number }

/** The resolution kept for a name and range, of whatever age. */
export function readResolution(layout: Layout, name: string, range: string): Resolution | undefined {
  const found = readOne(fileOf(layout, name, range))
  return found?.name === name && found.range === range ? found : undefined
}

/** Keeps a resolution; `scratch` is a folder on the same disk. */
export function writeResolution(layout: Layout, scratch: string, { name, range, version }: Omit<Resolution, 'at'>): void {
  const fresh = path.join(scratch, 'resolution.json')
  writeFileSync(fresh, stringify({ name, range, version, at: now() }))
  renameSync(fresh, fileOf(layout, name, range))
}

/** Every resolution that is kept. */
export function listResolutions(layout: Layout): Resolution[] {
  return readdirSync(layout.resolved).flatMap(file => readOne(path.join(layout.resolved, file)) ?? [])
}

/** Makes the next import ask the registry again; the old answer stays for when there is no network. */
export async function expire(layout: Layout, resolution: Resolution): Promise<void> {
  const file = fileOf(layout, resolution.name, resolution.range)
  const fresh = `${file}.${process.pid}`
  try {
    writeFileSync(fresh, stringify({ ...resolution, at: 0 }))
    renameSync(fresh, file)
  } finally { await rm(fresh, { force: true }) }
}

const fileOf = (layout: Layout, name: string, range: string): string => path.join(layout.resolved, `${shortHash(`${name}@${range}`)}.json`)

function readOne(file: string): Resolution | undefined {
  try { return parse(readFileSync(file, 'utf8')) as Resolution } catch { return undefined }
}
