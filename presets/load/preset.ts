import { readdirSync, statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { badPreset } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/methods.ts'
import type { Preset } from '../../kernel/plugin.ts'
import { checkPreset } from '../../kernel/preset-check.ts'

/** This package's presets stand beside this folder; they are `.ts` in the sources and `.js` when compiled. */
const FOLDER = fileURLToPath(new URL('..', import.meta.url))
const EXTENSION = extname(fileURLToPath(import.meta.url))

/** The names of this package's own presets. */
export const presetNames = (): string[] =>
  readdirSync(FOLDER).filter(file => extname(file) === EXTENSION && !file.endsWith('.d.ts')).map(file => file.slice(0, -EXTENSION.length)).sort()

/** A preset by the name of one of ours, or by the file that exports one as `preset`. */
export async function loadPreset(wanted: string, cwd: string): Promise<Preset> {
  const path = pathOf(wanted, cwd)
  const module = await load(wanted, path)
  const found = module.preset ?? module.default
  if (found === undefined) throw badPreset(`'${path}' exports no preset. Export one as \`preset\`: export const preset = definePreset({ name, runtime, plugins })`)
  checkPreset(found)
  return found
}

function pathOf(wanted: string, cwd: string): string {
  if (presetNames().includes(wanted)) return resolve(FOLDER, wanted + EXTENSION)
  if (/^[\w-]+$/.test(wanted)) throw unknown(wanted)
  const path = resolve(cwd, wanted)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw badPreset(`preset '${wanted}' does not exist: there is no file '${path}', and the presets known by name are ${presetNames().join(', ')}.`)
  if (!found.isFile()) throw badPreset(`preset '${wanted}' is not a file: name the module that exports the preset.`)
  return path
}

function unknown(wanted: string): Error {
  const known = presetNames()
  const near = nearest(wanted, known)
  return badPreset(`unknown preset '${wanted}'.${near === undefined ? '' : ` Did you mean '${near}'?`} Known: ${known.join(', ')}, or the path of a file.`)
}

/** What to do about the two faults of a first preset in a folder of its own. */
function nextStep(message: string): string {
  if (/Cannot find package 'pi-rlm'/.test(message)) return '. Install it in the preset\'s folder: npm install pi-rlm, or the path of a clone.'
  if (/import statement outside a module|Unexpected token 'export'/.test(message)) return '. Give the file the extension .mjs, or its folder a package.json with "type": "module".'
  return ''
}

async function load(wanted: string, path: string): Promise<{ readonly preset?: unknown; readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(path).href) as object
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string }
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION') throw badPreset(`preset '${wanted}' is TypeScript, which this host (node ${process.versions.node}) cannot load. Compile it to .js, or use node 22.18 or newer, or bun.`, cause)
    throw badPreset(`preset '${wanted}' cannot be loaded: ${message}${nextStep(message)}`, cause)
  }
}
