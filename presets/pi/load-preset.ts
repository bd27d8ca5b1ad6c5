import { existsSync, readdirSync } from 'node:fs'
import { extname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { badPreset } from '../../kernel/errors.ts'
import type { Preset } from '../../kernel/plugin.ts'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const EXTENSION = extname(fileURLToPath(import.meta.url))

/** A preset by the name of one of ours, or by the file that exports one as `preset`. */
export async function loadPreset(wanted: string, cwd: string): Promise<Preset> {
  const path = pathOf(wanted, cwd)
  let module: { readonly preset?: unknown; readonly default?: unknown }
  try {
    module = await import(pathToFileURL(path).href) as typeof module
  } catch (cause) {
    throw badPreset(`preset '${wanted}' (${path}) cannot be loaded: ${(cause as Error).message}`, cause)
  }
  const preset = module.preset ?? module.default
  if (!isPreset(preset)) throw badPreset(`${path} exports no preset: export one as \`preset\`, made with definePreset`)
  return preset
}

function pathOf(wanted: string, cwd: string): string {
  if (/^[\w-]+$/.test(wanted)) {
    const own = join(FOLDER, wanted + EXTENSION)
    if (existsSync(own)) return own
    throw badPreset(`no preset is called '${wanted}'; there are ${names().join(', ')}, or give the path of a file`)
  }
  const path = isAbsolute(wanted) ? wanted : resolve(cwd, wanted)
  if (!existsSync(path)) throw badPreset(`the preset file ${path} does not exist`)
  return path
}

const names = (): string[] => readdirSync(FOLDER).filter(file => extname(file) === EXTENSION && !file.endsWith('.d.ts')).map(file => file.slice(0, -EXTENSION.length))

const isPreset = (value: unknown): value is Preset =>
  typeof value === 'object' && value !== null && 'plugins' in value && Array.isArray(value.plugins) && 'runtime' in value
