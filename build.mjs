// Compiles the sources to dist/ and bundles the guest side, so that a guest starts by reading one file.
//
//   node build.mjs            compiles what changed; nothing when nothing did
//   node build.mjs --publish  compiles everything anew, with declarations for users of the package
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const dist = join(root, 'dist')
const stamp = join(dist, '.built')
const cacheFile = join(dist, '.transpiled.json')
const require = createRequire(import.meta.url)
/** Loaded from their packages when they are needed. */
const EXTERNAL = ['typescript', '@sinclair/typebox', 'seroval', 'bun', 'bun:*']
const publish = process.argv.includes('--publish')

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* files(path)
    else yield path
  }
}

const sha = text => createHash('sha256').update(text).digest('hex')
const settings = ['build.mjs', 'package.json', 'tsconfig.base.json'].map(name => sha(readFileSync(join(root, name)))).join()
const readJson = path => { try { return JSON.parse(readFileSync(path, 'utf8')) } catch { return {} } }

/** Every source with its text; other files in the source folders are copied as they are. */
function sources() {
  return ['kernel', 'guest', 'plugins', 'presets'].flatMap(folder => [...files(join(root, folder))])
    .filter(path => !path.endsWith('tsconfig.json')).sort().map(path => ({ name: relative(root, path), text: readFileSync(path) }))
}

function put(out, name, content) {
  const path = join(out, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** Types are checked elsewhere; here each module is only stripped of them, unless its text was seen before. */
function transpile(list, out) {
  const cache = publish ? {} : readJson(cacheFile)
  const kept = {}
  let ts
  for (const { name, text } of list) {
    if (!/\.[cm]?ts$/.test(name)) { put(out, name, text); continue }
    const hash = sha(settings + sha(text))
    if (cache[name]?.hash !== hash) {
      ts ??= require('typescript')
      const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile)
      const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
      const { outputText } = ts.transpileModule(text.toString(), { fileName: join(root, name), compilerOptions: { ...options, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, declaration: false } })
      cache[name] = { hash, code: outputText }
    }
    kept[name] = cache[name]
    put(out, name.replace(/\.([cm]?)ts$/, '.$1js'), cache[name].code)
  }
  put(out, '.transpiled.json', JSON.stringify(kept))
}

function declarations(out) {
  const tsc = require.resolve('typescript/lib/tsc.js')
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', out], { stdio: 'inherit', cwd: root })
}

/**
 * A builtin's default import makes the bundler copy the builtin, a getter for each property and each importer; what
 * inherits from it reads the same and takes no time of a starting guest.
 */
function withoutCopies(text) {
  const inherited = 'const __inherited = {}; const __builtin = name => __inherited[name] ??= Object.create(require(name), { default: { value: require(name) } });'
  const replaced = text.replaceAll(/__toESM\(require\(("(?:node:)?[\w/]+")\)(?:, 1)?\)/g, '__builtin($1)')
  return replaced.replace('"use strict";', () => `"use strict";${inherited}`)
}

/**
 * What a library computes while it is loaded and a cell seldom needs is left until it is asked for: in meriyah the table of
 * all of Unicode's identifiers, and the names of HTML's entities, which only JSX has. A version that says it otherwise is refused.
 */
const LATER = {
  meriyah: [
    [/const unicodeLookup = (\(\(compressed, lookup\) => \{[^]*?\}\)\(.*\));/, (_, table) => `let $identifiers; const identifiers = () => $identifiers ??= ${table};`],
    [/unicodeLookup\[/g, () => 'identifiers()['],
    [/const entities = (new Map\(Object\.entries\(\{[^]*?\n\}\)\));/, (_, table) => `let $entities; const entities = { get: name => ($entities ??= ${table}).get(name) };`],
  ],
}

function withLaterTables(name, text) {
  return LATER[name].reduce((changed, [pattern, by]) => {
    const next = changed.replace(pattern, by)
    if (next === changed) throw new Error(`${name} has no ${pattern} any more: the build must be told what it has instead`)
    return next
  }, text)
}

const laterTables = {
  name: 'later tables',
  setup: ({ onLoad }) => { onLoad({ filter: /[\\/]meriyah[\\/]dist[\\/]meriyah\.m?js$/ }, ({ path }) => ({ contents: withLaterTables('meriyah', readFileSync(path, 'utf8')) })) },
}

/** Of a library with many parts, those the guest uses: its index would load every one. */
const PARTS = { tapable: ['SyncBailHook', 'SyncWaterfallHook'] }
const usedParts = {
  name: 'used parts',
  setup: ({ onLoad }) => { onLoad({ filter: /[\\/]tapable[\\/]lib[\\/]index\.js$/ }, ({ path }) => ({ contents: PARTS.tapable.map(name => `exports.${name} = require('./${name}')`).join('\n'), resolveDir: dirname(path) })) },
}

/** Of the guest's libraries, those that bun has itself. */
const BUN_HAS = ['import-meta-resolve']

/**
 * The guest with the package's own halves in one file, which a guest starts from. A script and not a module, so that
 * parts of it run when they are first asked for; `import.meta.url` is that of the file, wherever it is.
 */
async function bundle(out) {
  let esbuild
  try { esbuild = await import('esbuild') } catch {
    console.error('esbuild is not installed: the guest is left unbundled and starts more slowly')
    return
  }
  const halves = [...files(join(out, 'plugins'))].filter(path => /(^|[\\/])guest\.js$/.test(path)).map(path => relative(out, path).replaceAll('\\', '/'))
  const table = `export const bundledHalves = {${halves.map(name => `'${name}': () => import('../${name}')`).join(',')}}`
  const bundled = { name: 'halves', setup: ({ onLoad }) => { onLoad({ filter: /bundled-halves\.js$/ }, () => ({ contents: table, resolveDir: join(out, 'guest') })) } }
  const oneFile = async external => {
    const { outputFiles: [whole] } = await esbuild.build({
      entryPoints: [join(out, 'guest/main.js')], outfile: join(out, 'guest/main.cjs'), bundle: true, format: 'cjs', platform: 'node', target: 'node20', write: false,
      external, logLevel: 'error', legalComments: 'none',
      define: { 'import.meta.url': '$url' },
      // A class's code is strict without the directive, which bun takes away; and bun would fix `module` as it was when it compiled.
      banner: { js: '(class { static { const $url = require(\'node:url\').pathToFileURL(process.argv[1]).href;' }, footer: { js: '} })' },
      plugins: [bundled, laterTables, usedParts],
    })
    const { code } = await esbuild.transform(withoutCopies(whole.text), { minify: true, target: 'node20', legalComments: 'none' })
    return code
  }
  put(out, 'guest/main.cjs', await oneFile(EXTERNAL))
  bytecode(out, await oneFile([...EXTERNAL, ...BUN_HAS]))
  // A cell that imports it would start a second guest, which waits for a key.
  rmSync(join(out, 'guest/main.js'))
}

/** The same for bun with its bytecode beside it, when bun is there; a bun of another version reads the text. */
function bytecode(out, code) {
  let bun
  try { bun = join(dirname(require.resolve('bun/package.json')), 'bin/bun.exe') } catch { return }
  const source = join(out, 'guest/main.source.cjs')
  writeFileSync(source, code)
  try {
    execFileSync(bun, ['build', '--bytecode', '--target=bun', '--format=cjs', '--minify', ...[...EXTERNAL, ...BUN_HAS].flatMap(name => ['--external', name]), '--entry-naming=[dir]/main.bun.cjs', `--outdir=${join(out, 'guest')}`, source], { stdio: 'pipe' })
  } catch (error) {
    console.error(`bun cannot compile the guest, which starts more slowly there: ${error.message}`)
  }
  rmSync(source)
}

async function build() {
  const list = sources()
  const print = sha(settings + JSON.stringify(list.map(({ name, text }) => [name, sha(text)])))
  if (!publish && existsSync(stamp) && readFileSync(stamp, 'utf8') === print) return
  const out = join(root, `dist.new-${process.pid}`)
  try {
    if (publish) declarations(out)
    transpile(list, out)
    await bundle(out)
    const bin = join(out, 'presets/cli/main.js')
    if (existsSync(bin)) chmodSync(bin, 0o755)
    writeFileSync(join(out, '.built'), print)
    const old = join(root, `dist.old-${process.pid}`)
    if (existsSync(dist)) renameSync(dist, old)
    renameSync(out, dist)
    rmSync(old, { recursive: true, force: true })
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

await build()
