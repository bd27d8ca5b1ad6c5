import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { BILLED, deepTree, delegation, eventually, Gate, gone, processesOf, RLM, tokensOf } from './harness/delegation.ts'
import { SETUPS, VERSIONS } from './harness/installations.ts'
import { scene } from './harness/scene.ts'
import type { ModelRequest } from './harness/script.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))
const LOOK = '(await rlm.listSubagents()).map(({ name, status, reason }) => [name, reason ?? status].join(" ")).join()'
const asked = (requests: readonly ModelRequest[], prompt: string): boolean => requests.some(request => request.prompt === prompt)

for (const { version, guest } of SETUPS) {
  const gate = new Gate()
  const tree = deepTree({ after: [LOOK] })
  scene(version, 'children at work live through a reload and the death of the guest, and their answers are read afterwards', delegation({
    start: ['const held = await rlm.run("Held: after all", { name: "held" }); held.status'],
    reloaded: [LOOK],
    die: ['process.kill(process.pid, "SIGKILL"); await new Promise(() => {})'],
    revived: [LOOK, 'const found = await rlm.subagent("held"); found.status'],
    collect: ['await found.text()', 'await held.text()', 'await (await rlm.run("Say: one more")).text()'],
  }, gate), { guest }, async ({ pi, model, shown }) => {
    const rpc = pi.rpc([...RLM, '-e', fixture('steer.ts')])
    await rpc.prompt('start')
    await eventually('the child has asked its model', () => asked(model.requests, 'Held: after all'))
    await rpc.send('prompt', { message: '/test-reload' })
    await rpc.prompt('reloaded')
    expect(shown('reloaded')).toEqual(['\'held running\''])
    await rpc.prompt('die')
    await rpc.prompt('revived')
    expect(shown('revived').map(text => text.split('\n').at(-1))).toEqual(['\'held running\'', '\'running\''])
    gate.release()
    await rpc.prompt('collect')
    expect(shown('collect')).toEqual(['\'after all\'', '\'after all\'', '\'one more\''])
    expect(model.requests.filter(({ prompt }) => prompt.startsWith('Held: '))).toHaveLength(1)
    expect(await rpc.close()).toBe(0)
  })

  scene(version, 'a session that is continued finds its children again: what they answered, and which ended with it', delegation({
    start: ['const done = await rlm.run("Say: kept", { name: "done" }); await done.wait(); const cut = await rlm.run("Held: never", { name: "cut" }); 0'],
    again: [LOOK, 'await done.text()', 'await cut.text()', 'const anew = await rlm.run("Say: anew", { name: "cut" }); [anew.name, await anew.text()]'],
  }), { guest }, async ({ pi, model, shown }) => {
    const first = pi.rpc(RLM)
    await first.prompt('start')
    await eventually('the second child has asked its model', () => asked(model.requests, 'Held: never'))
    expect(await first.close()).toBe(0)
    await gone(pi)
    const second = pi.rpc([...RLM, '--continue'])
    await second.prompt('again')
    expect(shown('again').slice(0, 2).map(text => text.split('\n').at(-1))).toEqual(['\'done completed,cut shutdown\'', '\'kept\''])
    expect(shown('again')[2]).toContain('child \'cut\' ended without an answer (shutdown)')
    expect(shown('again')[3]).toBe('[ \'cut\', \'anew\' ]')
    // Two requests and five, and two children with one each: what the first session had paid for is not paid for again.
    expect(await tokensOf(second)).toBe(7 * BILLED + (version === '1.6' ? 2 * BILLED : 0))
    expect(await second.close()).toBe(0)
  })

  scene(version, 'a root that is killed takes its whole tree with it, and the next session says that its children are lost', tree.script, { guest }, async ({ pi, model, shown }) => {
    const rpc = pi.rpc(RLM)
    await rpc.send('prompt', { message: tree.prompt })
    await eventually('the tree has grown', () => tree.grown(pi, model.requests), 180_000)
    expect(processesOf(pi).length).toBeGreaterThan(6)
    process.kill(rpc.pid, 'SIGKILL')
    await gone(pi, 30_000)
    const next = pi.rpc([...RLM, '--continue'])
    await next.prompt('after')
    expect(shown('after').at(-1)?.split('\n').at(-1)).toBe('\'branch lost\'')
    expect(await next.close()).toBe(0)
  })
}

for (const version of VERSIONS) {
  scene(version, 'what a permission extension forbids is forbidden in a child, too', delegation({
    go: ['await (await rlm.run("Cell: `forbid${\'den\'}`")).text()', 'await (await rlm.run("Cell: \'forbid" + "den\'")).text()', ...version === '1.6' ? ['await (await rlm.run(`Cell: await tools.bash({ command: "touch forbid" + "den" })`)).text()'] : []],
  }), {}, async ({ pi, shown }) => {
    expect(await pi.print([...RLM, '-e', fixture('forbid.ts'), 'go'])).toMatchObject({ code: 0, stderr: '' })
    expect(shown('go')[0]).toBe('"\'forbidden\'"')
    for (const text of shown('go').slice(1)) expect(text).toContain('that word is not allowed here')
    expect(existsSync(join(pi.work, 'forbidden'))).toBe(false)
  })

  scene(version, 'print mode waits for children no longer than a cell may run, and says which it stopped', delegation({
    go: ['await rlm.run("Say: quick", { name: "quick" }); await rlm.run("Held: never", { name: "endless" }); 0'],
  }, new Gate(), 'Your child agents have ended.'), { env: { PI_RLM_CELL_TIMEOUT_MS: '20000' } }, async ({ pi, model }) => {
    expect(await pi.print([...RLM, 'go'])).toMatchObject({ code: 0, stderr: '' })
    expect(model.requests.at(-1)?.lastPrompt).toMatch(/- quick: completed, 5 bytes in (\S+)\n- endless: error \(timeout\): .*\nNot finished in time, and stopped: endless\./)
    const answer = /quick: completed, 5 bytes in (\S+)/.exec(model.requests.at(-1)?.lastPrompt ?? '')?.[1] ?? ''
    expect(readFileSync(answer, 'utf8')).toBe('quick')
    await gone(pi)
  })
}
