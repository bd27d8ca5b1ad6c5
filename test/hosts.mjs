// npm run hosts -- [NAME…] [-- FILE…]
// Runs what depends on the host (contract, supervisor, units, processes, attribution, faults, and all gates in their short form)
// on each host, one after the other: node (the one that runs this), node24, bun. Guests run on the node and bun they always run on.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const FILES = ['test/engine.contract.test.ts', 'test/supervisor.test.ts', 'test/units.test.ts', 'test/processes', 'test/attribution', 'test/faults', 'test/gates/gates.test.ts']
const HOSTS = {
  node: [process.execPath],
  node24: [join(root, 'test/e2e/node_modules/node/bin/node')],
  bun: [join(dirname(createRequire(import.meta.url).resolve('bun/package.json')), 'bin/bun.exe'), '--bun'],
}

const words = process.argv.slice(2)
const border = words.indexOf('--')
const names = border < 0 ? words : words.slice(0, border)
const files = border < 0 ? FILES : words.slice(border + 1)
const unknown = names.filter(name => !(name in HOSTS))
if (unknown.length > 0) {
  console.error(`unknown host ${unknown.join(' ')}; known: ${Object.keys(HOSTS).join(', ')}`)
  process.exit(2)
}

/** One host's counts; `problem` says why there are none. */
function run([program, ...flags]) {
  if (!existsSync(program)) return { problem: `${program} is not there; npm ci --prefix test/e2e` }
  const folder = mkdtempSync(join(tmpdir(), 'pi-rlm-hosts-'))
  const report = join(folder, 'report.json')
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  spawnSync(program, [...flags, vitest, 'run', ...files], { cwd: root, env: { ...process.env, PI_RLM_TEST_REPORT: report }, stdio: 'inherit' })
  try {
    const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = JSON.parse(readFileSync(report, 'utf8'))
    return { passed, failed, skipped }
  } catch {
    return { problem: 'the tests did not come to their end' }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const results = (names.length > 0 ? names : Object.keys(HOSTS)).map(name => ({ name, ...run(HOSTS[name]) }))
for (const { name, problem, passed, failed, skipped } of results) console.log(`host ${name}: ${problem ?? `${passed} passed, ${failed} failed, ${skipped} skipped`}`)
process.exit(results.every(({ problem, failed }) => problem === undefined && failed === 0) ? 0 : 1)
