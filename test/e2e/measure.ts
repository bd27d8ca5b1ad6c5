/**
 * What sessions cost as a client of pi sees it: `test/e2e/node_modules/.bin/node test/e2e/measure.ts [calls] [kill]`.
 * Figures are medians, and stand beside pi's own of the same run, as machines differ and are shared.
 */
import { calls } from './figures/calls.ts'
import { kills } from './figures/kill.ts'
import { missing, VERSIONS } from './harness/installations.ts'

const PARTS = { calls, kill: kills }
const wanted = process.argv.slice(2)

for (const [name, part] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  for (const version of VERSIONS) {
    const lack = missing(version)
    if (lack === undefined) await part(version)
    else console.log(`pi ${version}: left out, ${lack}`)
  }
}
