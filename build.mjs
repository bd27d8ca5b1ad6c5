// Compiles the sources to dist/ and bundles the guest side, so that a guest starts by reading a handful of files.
// `--clean` removes dist/ first. Nothing is done when no source is newer than the last build.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const dist = join(root, 'dist')
const stamp = join(dist, '.built')
const require = createRequire(import.meta.url)
const sourceFolders = ['kernel', 'guest', 'plugins', 'presets']

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* files(path)
    else yield path
  }
}

function fingerprint() {
  const hash = createHash('sha256')
  const inputs = [...sourceFolders.flatMap(folder => [...files(join(root, folder))]), ...['build.mjs', 'package.json', 'tsconfig.base.json', 'tsconfig.build.json'].map(name => join(root, name))]
  for (const path of inputs.sort()) hash.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

function compile(out) {
  const tsc = require.resolve('typescript/lib/tsc.js')
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', out], { stdio: 'inherit', cwd: root })
}

/** One bundle with shared chunks: the guest and the halves must share the same async context and classes. */
async function bundle(out) {
  let esbuild
  try { esbuild = await import('esbuild') } catch {
    console.error('esbuild is not installed: the guest is left unbundled and starts more slowly')
    return
  }
  const halves = [...files(join(out, 'plugins'))].filter(path => /(^|[\\/])guest\.js$/.test(path))
  await esbuild.build({
    entryPoints: [join(out, 'guest/main.js'), ...halves],
    outdir: out, outbase: out, allowOverwrite: true, bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node20',
    external: ['typescript', 'bun', 'bun:*', 'zx', 'zx/*'], chunkNames: 'guest/chunks/[name]-[hash]', logLevel: 'error', legalComments: 'none',
    banner: { js: 'import { createRequire as $createRequire } from \'node:module\'; const require = $createRequire(import.meta.url);' },
  })
}

async function build() {
  const print = fingerprint()
  if (!process.argv.includes('--clean') && existsSync(stamp) && readFileSync(stamp, 'utf8') === print) return
  const out = join(root, `dist.new-${process.pid}`)
  rmSync(out, { recursive: true, force: true })
  try {
    compile(out)
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
