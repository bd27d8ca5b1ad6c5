import path from 'node:path'
import { existsSync, parse, readFileSync } from './builtins.ts'

/** Whether an installed package declares types and has nothing to run. */
export function isTypesOnly(entry: string, folder: string): boolean {
  const home = path.join(entry, 'node_modules', folder)
  const { types, typings, main, module, exports } = read(path.join(home, 'package.json'))
  const targets = [main, module, ...targetsOf(exports)].filter(target => typeof target === 'string' && target !== '')
  const typed = types ?? typings ?? (exports !== undefined || existsSync(path.join(home, 'index.d.ts')))
  return Boolean(typed) && targets.every(target => /\.d\.[cm]?ts$/.test(String(target))) && !existsSync(path.join(home, 'index.js'))
}

/** Every file an `exports` field points to, those for types left out. */
function targetsOf(exports: unknown): unknown[] {
  if (typeof exports !== 'object' || exports === null) return [exports]
  return Object.entries(exports).flatMap(([condition, target]) => condition === 'types' ? [] : targetsOf(target))
}

function read(file: string): Readonly<Record<string, unknown>> {
  try { return parse(readFileSync(file, 'utf8')) as Record<string, unknown> } catch { return {} }
}
