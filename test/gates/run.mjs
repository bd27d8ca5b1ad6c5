// npm run gates -- [NAME…] [--short] [--guards]
// Runs gates with their full numbers on both guests. `--short`: the numbers of every check. `--guards`: takes out each
// guard of the named gates, one at a time, in a copy of the sources, and shows that the gate fails without it.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const words = process.argv.slice(2)
const names = words.filter(word => !word.startsWith('--'))
const unknown = words.filter(word => word.startsWith('--') && !['--short', '--guards'].includes(word))
if (unknown.length > 0) {
  console.error(`unknown option ${unknown.join(' ')}; known: --short, --guards`)
  process.exit(2)
}

const guards = words.includes('--guards')
const env = { ...process.env, PI_RLM_GATES: words.includes('--short') || guards ? 'short' : 'full', PI_RLM_GATE_NAMES: names.join(',') || 'all' }
const args = guards ? ['--config', 'test/gates/guards.config.ts'] : ['test/gates/gates.test.ts']
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const { status } = spawnSync(process.execPath, [vitest, 'run', ...args, '--disable-console-intercept'], { cwd: root, env, stdio: 'inherit' })
process.exit(status ?? 1)
