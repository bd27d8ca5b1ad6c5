import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** The installed bun; undefined where there is none, or its program was never put in place. */
export function findBun() {
  try {
    const program = join(dirname(require.resolve('bun/package.json')), 'bin/bun.exe')
    return existsSync(program) ? program : undefined
  } catch { return undefined }
}

/** Compiles a script for bun, with its bytecode beside it; a bun of another version reads the text. Answers whether it could. */
export function compileForBun(bun, { source, folder, name, external = [] }) {
  try {
    execFileSync(bun, ['build', '--bytecode', '--target=bun', '--format=cjs', '--minify', ...external.flatMap(each => ['--external', each]), `--entry-naming=[dir]/${name}`, `--outdir=${folder}`, source], { stdio: 'pipe' })
    return true
  } catch (error) {
    console.error(`bun cannot compile the guest, which starts more slowly there: ${error.message}`)
    return false
  }
}
