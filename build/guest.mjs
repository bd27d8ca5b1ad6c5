import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { compileForBun, findBun } from './bytecode.mjs'
import { COMPILER, putCompiler } from './compiler.mjs'
import { BUN_HAS, laterTables, usedParts } from './libraries.mjs'

/** Loaded from their packages when they are needed. */
const EXTERNAL = ['@sinclair/typebox', 'seroval', 'bun', 'bun:*']

/**
 * Bundles the guest with the package's own halves into one file, which a guest starts from. A script and not a module, so
 * that parts of it run when they are first asked for; `import.meta.url` is that of the file, wherever it is.
 */
export async function bundleGuest(out, before) {
  let esbuild
  try { esbuild = await import('esbuild') } catch {
    console.error('esbuild is not installed: the guest is left unbundled and starts more slowly')
    return
  }
  const bun = findBun()
  const forBun = await putCompiler({ esbuild, bun, out, before })
  writeFileSync(join(out, 'guest/main.cjs'), await oneFile(esbuild, out, { external: EXTERNAL, compiler: COMPILER.text }))
  if (forBun) bundleForBun(bun, out, await oneFile(esbuild, out, { external: [...EXTERNAL, ...BUN_HAS], compiler: COMPILER.bun }))
  // A cell that imports it would start a second guest, which waits for a key.
  rmSync(join(out, 'guest/main.js'))
}

/** What `pathToFileURL` answers for the entry; its first call takes bun half a millisecond. */
const OWN_URL = 'new URL(`file://${process.argv[1].replace(/[%?#\\\\\\n\\r\\t]/g, encodeURIComponent)}`).href'

async function oneFile(esbuild, out, { external, compiler }) {
  const { outputFiles: [whole] } = await esbuild.build({
    entryPoints: [join(out, 'guest/main.js')], outfile: join(out, 'guest/main.cjs'), bundle: true, format: 'cjs', platform: 'node', target: 'node20', write: false,
    external, logLevel: 'error', legalComments: 'none',
    define: { 'import.meta.url': '$url', 'import.meta.compiler': JSON.stringify(`./${compiler}`) },
    // A class's code is strict without the directive, which bun takes away; and bun would fix `module` as it was when it compiled.
    banner: { js: `(class { static { const $url = ${OWN_URL};` }, footer: { js: '} })' },
    plugins: [packageHalves(out), compilerBeside(compiler), laterTables, usedParts],
  })
  const { code } = await esbuild.transform(withoutCopies(whole.text), { minify: true, target: 'node20', legalComments: 'none' })
  return code
}

function packageHalves(out) {
  const plugins = join(out, 'plugins')
  const halves = readdirSync(plugins, { recursive: true }).filter(name => /(^|[\\/])guest\.js$/.test(name)).map(name => relative(out, join(plugins, name)).replaceAll('\\', '/')).sort()
  const contents = `export const bundledHalves = {${halves.map(name => `'${name}': () => import('../${name}')`).join(',')}}`
  return { name: 'halves', setup: ({ onLoad }) => { onLoad({ filter: /bundled-halves\.js$/ }, () => ({ contents, resolveDir: join(out, 'guest') })) } }
}

const compilerBeside = compiler => ({
  name: 'compiler', setup: ({ onResolve }) => { onResolve({ filter: /^typescript$/ }, () => ({ path: `./${compiler}`, external: true })) },
})

/**
 * A default import of a builtin or of the compiler makes the bundler copy it, a getter for each property and each
 * importer; what inherits from it reads the same and takes no time of a starting guest.
 */
function withoutCopies(text) {
  const inherited = 'const __inherited = {}; const __whole = name => __inherited[name] ??= Object.create(require(name), { default: { value: require(name) } });'
  const replaced = text.replaceAll(/__toESM\(require\(("(?:(?:node:)?[\w/]+|\.\/typescript[.\w]+)")\)(?:, 1)?\)/g, '__whole($1)')
  return replaced.replace('"use strict";', () => `"use strict";${inherited}`)
}

function bundleForBun(bun, out, code) {
  const source = join(out, 'guest/main.source.cjs')
  writeFileSync(source, code)
  compileForBun(bun, { source, folder: join(out, 'guest'), name: 'main.bun.cjs', external: [...EXTERNAL, ...BUN_HAS, `./${COMPILER.bun}`] })
  rmSync(source)
}
