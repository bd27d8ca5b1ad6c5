import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { BILLED, delegation, RLM, tokensOf } from './harness/delegation.ts'
import { type Version, VERSIONS } from './harness/installations.ts'
import { scene } from './harness/scene.ts'

const FAN = `
  const kids = await Promise.all(Array.from({ length: 20 }, (_, n) => rlm.run('Say: n' + n, { name: 'kid ' + n })))
  const answers = await Promise.all((await rlm.waitAll(kids)).map(kid => kid.text()))
  answers.join()`
const SUM = '(await rlm.listSubagents()).reduce((sum, { usage }) => sum + usage.input + usage.output, 0)'

/** Tokens of children are in the totals of 1.6; 0.73 knows no usage of a tool. */
const counted = (version: Version, tokens: number): number => version === '1.6' ? tokens : 0
/** Longest a fan-out of twenty agents may take on a machine that is busy otherwise. */
const PATIENCE = 400_000

for (const version of VERSIONS) {
  scene(version, 'twenty children are collected in one turn, each whole and in order, and each is paid for once', delegation({ fan: [FAN, SUM] }), { timeout: PATIENCE }, async ({ pi, model, shown }) => {
    const rpc = pi.rpc(RLM)
    await rpc.prompt('fan', PATIENCE)
    expect(shown('fan')).toEqual([`'${Array.from({ length: 20 }, (_, n) => `n${n}`).join()}'`, `${20 * BILLED}`])
    expect(model.requests.filter(request => request.prompt === 'fan')).toHaveLength(3)
    expect(model.requests.filter(request => request.prompt.startsWith('Say: '))).toHaveLength(20)
    expect(await tokensOf(rpc)).toBe(3 * BILLED + counted(version, 20 * BILLED))
    const from = rpc.events.length
    await rpc.send('prompt', { message: '/rlm status' })
    const { message } = await rpc.next(event => event.method === 'notify', { from })
    expect(message).toContain(`Child agents: 20 children: 20 completed; ${20 * BILLED} tokens`)
    expect(await rpc.close()).toBe(0)
  })

  scene(version, 'a child has a child of its own, and a third level is refused with what to do instead', delegation({
    dig: [
      `const leaf = 'Cell: await rlm.run("Say: too deep")'
       const child = await rlm.run('Cell: await (await rlm.run(' + JSON.stringify(leaf) + ', { name: "leaf" })).text()', { name: 'middle' })
       await child.text()`,
      '(await rlm.listSubagents()).map(({ name, depth, status }) => [name, depth, status])',
    ],
  }), {}, async ({ pi, model, shown }) => {
    const rpc = pi.rpc(RLM)
    await rpc.prompt('dig')
    expect(shown('dig')[0]).toContain('children may be 2 deep and this one would be at depth 3. Do the work in this notebook instead')
    expect(shown('dig')[1]).toBe('[ [ \'middle\', 1, \'completed\' ] ]')
    expect(model.requests.some(({ prompt }) => prompt === 'Say: too deep')).toBe(false)
    const depths = model.requests.map(({ system }) => /Depth: (\d) of 2/.exec(system)?.[1])
    expect([...new Set(depths)].sort()).toEqual(['0', '1', '2'])
    expect(await tokensOf(rpc)).toBe(3 * BILLED + counted(version, 2 * 2 * BILLED))
    expect(rpc.stderr).toBe('')
    expect(await rpc.close()).toBe(0)
    // Each level keeps the records of its children in a folder of its own, side by side.
    expect(readdirSync(join(pi.work, '.pi-rlm')).filter(name => name.startsWith('c-'))).toHaveLength(2)
  })
}
