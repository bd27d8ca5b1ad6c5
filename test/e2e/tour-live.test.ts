import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { type Driver, rpcDriver, tuiDriver } from './harness/drivers.ts'
import { SETUPS } from './harness/installations.ts'
import { EXTENSION } from './harness/pi.ts'
import { scene, type Scene } from './harness/scene.ts'
import { byPrompt } from './harness/script.ts'
import { CELLS, checkCrash, checkWork, furnish } from './harness/tour.ts'

const STEER = fileURLToPath(new URL('fixtures/steer.ts', import.meta.url))
const RLM = ['--rlm=1', '-e', EXTENSION]

/** What a session that stays open has beyond the tour of print mode. */
const LIVE = {
  ...CELLS,
  asleep: ['const before = 2; console.log("slumber"); await new Promise(done => setTimeout(done, 60_000)); const never = 3'],
  look: ['[base, before, typeof never]'],
  spin: ['console.log("round"); await new Promise(done => setTimeout(done, 500)); while (true) {}'],
  recovered: ['base'],
  define: ['function twice(n) { return 2 * n }; let step = 1'],
  reloaded: ['twice(21)'],
  second: ['step = 2'],
  forked: ['step', 'step = "fork"'],
  aside: ['step'],
}

/** The whole tour; `again` starts pi anew on the same session. */
async function tour(driver: Driver, theScene: Scene, again: () => Promise<Driver>): Promise<void> {
  const { shown, model } = theScene
  await driver.prompt('work')
  checkWork(theScene)
  await driver.sees(/✓ const base: number = 40; .* 1 in · 1 out · .*s\n\n✓ base \+ 2 [^]*✗ const early = 1; .* TypeError · 1 in · 2 out[^]*✓ read pixel\.png [^]*✗ edit note\.txt .* ToolError [^]*✗ raed note\.txt [^]*✓ read note\.txt \+1 [^]*✓ function helper/)
  await driver.sees(/✓ for \(let i = 0; i < 20_000; i\+\+\) .* 1 in · \d+\+ out/)
  await driver.prompt('crash')
  checkCrash(theScene)
  await driver.sees(/✗ process\.kill\(.* GuestDied [^]*✓ base \+ 3 /)

  await driver.cancel('asleep', 'slumber')
  await driver.prompt('look')
  expect(shown('asleep')).toEqual(['slumber\nCancelled. Names bound before that are kept.'])
  expect(shown('look')).toEqual(['[ 40, 2, \'undefined\' ]'])
  await driver.cancel('spin', 'round', 1500)
  await driver.prompt('recovered')
  expect(shown('recovered')[0]).toMatch(/^Notice: The notebook was restarted: [^\n]*cannot be interrupted[^\n]*\n40$/)

  await driver.prompt('define')
  await driver.reload()
  await driver.prompt('reloaded')
  expect(shown('reloaded')).toEqual(['42'])
  await driver.prompt('second')
  await driver.fork('second')
  await driver.sees(/✓ function twice[^]*✓ twice\(21\)/)
  await driver.prompt('forked')
  expect(shown('forked')[0]).toMatch(/1$/)
  await driver.tree('forked')
  await driver.prompt('aside')
  expect(shown('aside')[0]).toMatch(/the session went to another branch[^]*\n1$/)
  await driver.quit()

  const continued = await again()
  await continued.sees(/✓ function twice[^]*✓ step /)
  await continued.prompt('again')
  expect(shown('again')[0]).toMatch(/\[ 40, 'a note', 'undefined' \]$/)
  await continued.quit()
  for (const request of model.requests) expect(request.tools).toEqual(['execute'])
}

for (const { version, guest } of SETUPS) {
  scene(version, 'a tour over RPC: cells, cancelling, a killed guest, reload, fork, tree, and going on in a second process', byPrompt(LIVE), { guest }, async theScene => {
    const { pi } = theScene
    furnish(pi)
    await tour(rpcDriver(pi.rpc([...RLM, '-e', STEER])), theScene, () => Promise.resolve(rpcDriver(pi.rpc(['--continue', ...RLM, '-e', STEER]))))
  })

  scene(version, 'the same tour in the terminal, with the keys of a person', byPrompt(LIVE), { guest, needs: ['tmux'] }, async theScene => {
    const { pi } = theScene
    furnish(pi)
    await tour(await tuiDriver(pi, RLM), theScene, () => tuiDriver(pi, ['--continue', ...RLM]))
  })
}
