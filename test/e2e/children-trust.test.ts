import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { delegation, RLM } from './harness/delegation.ts'
import { ISOLATION } from './harness/pi.ts'
import { scene } from './harness/scene.ts'

/** Says on disk that it was loaded, once for each process. */
const SPY = 'import { appendFileSync } from "node:fs"\nexport default () => { appendFileSync(LOG, "loaded\\n") }\n'

scene('1.6', 'a child loads the extensions of a project exactly when its parent was told to trust it', delegation({
  go: ['await (await rlm.run("Say: yes")).text()'],
}), { flags: ISOLATION.filter(flag => flag !== '--no-extensions') }, async ({ pi, shown }) => {
  const log = join(pi.root, 'loaded.txt')
  mkdirSync(join(pi.work, '.pi/extensions'), { recursive: true })
  writeFileSync(join(pi.work, '.pi/extensions/spy.ts'), SPY.replace('LOG', JSON.stringify(log)))
  const loads = async (answer: string): Promise<number> => {
    rmSync(log, { force: true })
    expect(await pi.print([answer, ...RLM, 'go'])).toMatchObject({ code: 0 })
    expect(shown('go')).toEqual(['\'yes\''])
    return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0
  }
  expect(await loads('--no-approve')).toBe(0)
  expect(await loads('--approve')).toBe(2)
})
