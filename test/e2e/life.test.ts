import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { SETUPS, VERSIONS } from './harness/installations.ts'
import { EXTENSION } from './harness/pi.ts'
import type { Rpc } from './harness/rpc.ts'
import { scene } from './harness/scene.ts'
import { byPrompt } from './harness/script.ts'

const STEER = fileURLToPath(new URL('fixtures/steer.ts', import.meta.url))
const RLM = ['--rlm=1', '-e', EXTENSION, '-e', STEER]

/** Cancels the cell that a prompt starts, once it has printed something and some time has passed. */
async function abortDuring(rpc: Rpc, message: string, afterMs = 0): Promise<void> {
  const from = rpc.events.length
  await rpc.send('prompt', { message })
  await rpc.next(event => event.type === 'tool_execution_update', { from })
  await sleep(afterMs)
  await rpc.send('abort')
  await rpc.settled(from)
}

/** Ids of the processes that have this text in their command line. */
const processes = (text: string): number[] => {
  try {
    return execFileSync('pgrep', ['-f', text], { encoding: 'utf8' }).trim().split('\n').map(Number)
  } catch {
    return []
  }
}

async function waitUntil(what: string, test: () => boolean, timeout = 10_000): Promise<void> {
  for (const end = Date.now() + timeout; !test(); await sleep(50)) if (Date.now() > end) throw new Error(`never: ${what}`)
}

for (const { version, guest } of SETUPS) {
  scene(version, 'cancelling costs one cell, also in a busy loop, and pi lives', byPrompt({
    bind: ['const kept = 1', 'await new Promise(done => setTimeout(done, 2000))'],
    sleep: ['const before = 2; console.log("asleep"); await new Promise(done => setTimeout(done, 60_000)); const never = 3'],
    look: ['[kept, before, typeof never]'],
    spin: ['console.log("round"); await new Promise(done => setTimeout(done, 500)); while (true) {}'],
    after: ['kept'],
    more: ['kept + 1'],
  }), { guest }, async ({ pi, shown }) => {
    const rpc = pi.rpc(RLM)
    await rpc.prompt('bind')
    await abortDuring(rpc, 'sleep')
    await rpc.prompt('look')
    expect(shown('sleep')).toEqual(['asleep\nCancelled. Names bound before that are kept.'])
    expect(shown('look')).toEqual(['[ 1, 2, \'undefined\' ]'])
    await abortDuring(rpc, 'spin', 1500)
    await rpc.prompt('after')
    expect(shown('after')[0]).toMatch(/^Notice: The notebook was restarted: [^\n]*\n1$/)
    await rpc.prompt('more')
    expect(shown('more')).toEqual(['2'])
    expect(rpc.stderr).toBe('')
    expect(await rpc.close()).toBe(0)
  })

  scene(version, 'a guest that is killed between cells is replaced with one notice that names the signal', byPrompt({
    first: ['const pid = process.pid; pid'], second: ['typeof pid'], third: ['typeof pid'],
  }), { guest }, async ({ pi, shown }) => {
    const rpc = pi.rpc(RLM)
    await rpc.prompt('first')
    await rpc.send('prompt', { message: '/rlm save' })
    await sleep(1500)
    process.kill(Number(shown('first')[0]), 'SIGKILL')
    await sleep(200)
    await rpc.prompt('second')
    expect(shown('second')[0]).toMatch(/^Notice: The notebook was restarted: its guest ended while no cell ran \(signal SIGKILL\)\.[^\n]*\n'number'$/)
    await rpc.prompt('third')
    expect(shown('third')).toEqual(['\'number\''])
    expect(await rpc.close()).toBe(0)
  })

  scene(version, 'a reload keeps the notebook as it is, functions and all', byPrompt({
    define: ['function twice(n) { return 2 * n }; const pid = process.pid'], use: ['[twice(21), pid === process.pid]'],
  }), { guest }, async ({ pi, shown, model }) => {
    const rpc = pi.rpc(RLM)
    await rpc.prompt('define')
    await rpc.send('prompt', { message: '/test-reload' })
    await rpc.prompt('use')
    expect(shown('use')).toEqual(['[ 42, true ]'])
    expect(model.requests.at(-1)?.tools).toEqual(['execute'])
    expect(await rpc.close()).toBe(0)
  })

  scene(version, 'a fork starts with its parent\'s names as of that branch, and the two go their own ways', byPrompt({
    one: ['const step = 1'], two: ['step = 2'], forked: ['step', 'step = "fork"'], fresh: ['typeof step'],
  }), { guest }, async ({ pi, shown }) => {
    const rpc = pi.rpc(RLM)
    await rpc.prompt('one')
    await rpc.prompt('two')
    const { data } = await rpc.send('get_fork_messages')
    const second = (data?.['messages'] as { entryId: string; text: string }[]).find(message => message.text === 'two')
    await rpc.send('fork', { entryId: second?.entryId })
    await rpc.prompt('forked')
    expect(shown('forked')[0]).toBe('1')
    await rpc.send('new_session')
    await rpc.prompt('fresh')
    expect(shown('fresh')).toEqual(['\'undefined\''])
    expect(await rpc.close()).toBe(0)
  })

  scene(version, 'on another branch of the session the names are those that branch had', byPrompt({
    one: ['const step = 1'], two: ['step = 2'], aside: ['step', 'step = "aside"'], back: ['step'], afresh: ['typeof step'],
  }), { guest }, async ({ pi, shown }) => {
    const rpc = pi.rpc(RLM)
    await rpc.prompt('one')
    await rpc.prompt('two')
    await rpc.send('prompt', { message: '/test-tree two' })
    await rpc.prompt('aside')
    expect(shown('aside')[0]).toMatch(/^Notice: The notebook was restarted: the session went to another branch[\s\S]*\n1$/)
    await rpc.send('prompt', { message: '/test-tree +two' })
    await rpc.prompt('back')
    expect(shown('back')[0]).toMatch(/the session went to another branch[\s\S]*\n2$/)
    await rpc.send('prompt', { message: '/test-tree one' })
    await rpc.prompt('afresh')
    expect(shown('afresh')[0]).toMatch(/the session went to another branch[\s\S]*\n'undefined'$/)
    expect(await rpc.close()).toBe(0)
  })

  scene(version, 'when pi is ended by a signal, the guest and what it started go, too', byPrompt({
    go: ['const child = require("node:child_process").spawn("sleep", ["7531"]); [process.pid, child.pid]', 'console.log("round"); await new Promise(done => setTimeout(done, 500)); while (true) {}'],
  }), { guest }, async ({ pi }) => {
    await Promise.all((['SIGTERM', 'SIGINT', 'SIGKILL'] as const).map(async signal => {
      const rpc = pi.rpc(RLM)
      await rpc.send('prompt', { message: 'go' })
      const first = await rpc.next(event => event.type === 'tool_execution_end', { from: 0 })
      await rpc.next(event => event.type === 'tool_execution_update', { from: rpc.events.indexOf(first) })
      const pids = JSON.parse(first.result?.content[0]?.text ?? '[]') as number[]
      expect(pids).toHaveLength(2)
      process.kill(rpc.pid, signal)
      await waitUntil(`the guest is gone after ${signal}`, () => pids.every(pid => !alive(pid)))
      await rpc.kill()
    }))
    expect(processes('sleep 7531')).toEqual([])
  })
}

for (const version of VERSIONS) {
  scene(version, 'with PI_RLM_TREE=keep the notebook is kept on another branch, and says so', byPrompt({
    one: ['const step = 1'], two: ['step = 2'], aside: ['step'],
  }), { env: { PI_RLM_TREE: 'keep' } }, async ({ pi, shown }) => {
    const rpc = pi.rpc(RLM)
    await rpc.prompt('one')
    await rpc.prompt('two')
    await rpc.send('prompt', { message: '/test-tree two' })
    await rpc.prompt('aside')
    expect(shown('aside')[0]).toMatch(/^Notice: [^\n]*was kept as it was[^\n]*\n2$/)
    expect(await rpc.close()).toBe(0)
  })

  scene(version, 'an ephemeral session keeps nothing on disk', byPrompt({ go: ['const x = 1; x'] }), {}, async ({ pi, shown }) => {
    expect(await pi.print(['--no-session', ...RLM, 'go'])).toMatchObject({ code: 0, stderr: '' })
    expect(shown('go')).toEqual(['1'])
    expect(existsSync(join(pi.work, '.pi-rlm'))).toBe(false)
  })
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
