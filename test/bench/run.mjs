// `npm run bench [-- NAME… --bun --node --json]`: compiles the benches, then runs them against the built package.
import { readdirSync, rmSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('.', import.meta.url))
const benches = readdirSync(folder).filter(name => name.endsWith('.bench.ts')).sort()
const source = [
  'import { main } from \'./main.ts\'',
  ...benches.map((name, i) => `import b${i} from './${name}'`),
  `await main([${benches.map((_, i) => `...b${i}`).join(', ')}], process.argv.slice(2))`,
].join('\n')
// Two levels below the root, as the sources are, so that paths by import.meta.url stay right.
const outfile = fileURLToPath(new URL(`../../dist/bench-${process.pid}/main.mjs`, import.meta.url))
await build({ stdin: { contents: source, resolveDir: folder, loader: 'ts' }, bundle: true, packages: 'external', platform: 'node', format: 'esm', target: 'node20', outfile,
  // The package as it is built, not the sources that the tests' paths lead to.
  tsconfigRaw: {}, logLevel: 'error' })
try {
  await import(pathToFileURL(outfile).href)
} finally {
  rmSync(new URL('.', pathToFileURL(outfile)), { recursive: true, force: true })
}
process.exit()
