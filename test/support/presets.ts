import { readdirSync } from 'node:fs'
import type { Preset } from '../../kernel/index.ts'

const folder = new URL('../../presets/', import.meta.url)

/** Every preset of the package: a file dropped into `presets/` is in this list. */
export async function everyPreset(): Promise<readonly Preset[]> {
  const files = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isFile() && /\.ts$/.test(entry.name)).map(entry => entry.name).sort()
  const modules = await Promise.all(files.map(file => import(new URL(file, folder).href) as Promise<{ preset?: Preset }>))
  return modules.map(({ preset }, i) => {
    if (preset === undefined) throw new Error(`presets/${files[i]} exports no preset`)
    return preset
  })
}
