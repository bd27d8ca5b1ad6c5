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
import { bundleGuest } from './build/guest.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))
const dist = join(root, 'dist')
const stamp = join(dist, '.built')
const cacheFile = join(dist, '.transpiled.json')
const require = createRequire(import.meta.url)
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
const settings = ['build.mjs', 'build/guest.mjs', 'build/libraries.mjs', 'build/compiler.mjs', 'build/bytecode.mjs', 'package.json', 'tsconfig.base.json'].map(name => sha(readFileSync(join(root, name)))).join()
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

async function build() {
  const list = sources()
  const print = sha(settings + JSON.stringify(list.map(({ name, text }) => [name, sha(text)])))
  if (!publish && existsSync(stamp) && readFileSync(stamp, 'utf8') === print) return
  const out = join(root, `dist.new-${process.pid}`)
  try {
    if (publish) declarations(out)
    transpile(list, out)
    await bundleGuest(out, dist)
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
