import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The compiled program beside a module. A module that runs from source has it in `dist`, because Node 20 cannot run
 * TypeScript.
 */
export function compiledProgram(caller: string, path: string): string {
  const here = fileURLToPath(caller)
  const program = join(dirname(here), `${path}.js`)
  if (here.endsWith('.js')) return program
  let root = dirname(here)
  while (!existsSync(join(root, 'package.json'))) {
    if (root === dirname(root)) return program
    root = dirname(root)
  }
  return join(root, 'dist', relative(root, program))
}
