import { expect, test } from 'vitest'
import { definePreset } from '../kernel/index.ts'
import { declarations } from '../plugins/declarations/index.ts'
import { node } from '../plugins/runtimes/node.ts'
import { preset } from '../presets/bare.ts'
import { preset as bun } from '../presets/default.ts'
import { openSupervisor } from './support/engine.ts'

const program = (path: string) => definePreset({ name: 'other', runtime: node({ path }), plugins: [declarations()] })
/** A preset whose guest is a shell command. */
const command = (script: string) => definePreset({ name: 'script', plugins: [], runtime: { ...node(), plan: ({ cwd, env }) => ({ kind: 'guest', cwd, env, command: '/bin/sh', args: ['-c', script], stdio: ['ignore', 'pipe', 'pipe', 'pipe'] }) } })

test('four ways in which a guest cannot start are four clear errors, and nothing is left running', async () => {
  const failure = async (notebook: ReturnType<typeof openSupervisor>): Promise<string> => notebook.execute('1').then(() => 'it ran', (error: unknown) => (error as Error).message)
  expect(await failure(openSupervisor({ preset: program('/nowhere/node') }))).toContain('\'/nowhere/node\' cannot be started')
  expect(await failure(openSupervisor({ preset: program('/tmp') }))).toContain('\'/tmp\' cannot be started')
  expect(await failure(openSupervisor({ preset: command('echo broken >&2; exit 1') }))).toMatch(/ended before it was ready: exit code 1[^]*broken/)
  expect(await failure(openSupervisor({ preset: command('sleep 100'), startTimeoutMs: 300 }))).toContain('did not become ready within 300 ms')
})

test('a guest that ends at every start is tried three times, then named in one clear error at once', async () => {
  let starts = 0
  const counting = { ...command('exit 5') }
  const runtime = { ...counting.runtime, plan: (request: Parameters<typeof counting.runtime.plan>[0]) => { starts++; return counting.runtime.plan(request) } }
  const notebook = openSupervisor({ preset: { ...counting, runtime } })
  await expect(notebook.execute('1')).rejects.toMatchObject({ code: 'RESTART_LIMIT', message: expect.stringContaining('exit code 5') as string })
  await expect(notebook.execute('2')).rejects.toMatchObject({ code: 'RESTART_LIMIT' })
  expect(starts).toBe(3)
})

test('works again after the cause is mended and a restart is asked for', async () => {
  let broken = true
  const runtime = { ...preset.runtime, plan: (request: Parameters<typeof preset.runtime.plan>[0]) => broken ? command('exit 1').runtime.plan(request) : preset.runtime.plan(request) }
  const notebook = openSupervisor({ preset: { ...preset, runtime } })
  await expect(notebook.execute('1')).rejects.toMatchObject({ code: 'RESTART_LIMIT' })
  broken = false
  notebook.restart()
  expect(await notebook.execute('1 + 1')).toMatchObject({ status: 'ok', result: '2' })
})

test('moves every call that never ran to the next engine, in order, however many guests die', async () => {
  const notebook = openSupervisor({ preset })
  await notebook.execute('1')
  const calls = Array.from({ length: 8 }, (_, i) => notebook.execute(i % 2 === 0 ? `process.exit(${i + 1})` : `${i}`).then(result => result.result, (error: unknown) => /exit code \d/.exec((error as Error).message)?.[0]))
  expect(await Promise.all(calls)).toEqual(['exit code 1', '1', 'exit code 3', '3', 'exit code 5', '5', 'exit code 7', '7'])
})

test('tells of a guest that ended while no cell ran by what ended it', async () => {
  const notebook = openSupervisor({ preset })
  const noticeAfter = async (end: () => void): Promise<string> => {
    await notebook.execute('1')
    end()
    while (notebook.current?.isRunning === true) await new Promise(done => setTimeout(done, 10))
    return (await notebook.execute('2')).notices.join()
  }
  const pid = (): number => notebook.current?.guestPid ?? 0
  expect(await noticeAfter(() => { process.kill(pid(), 'SIGKILL') })).toContain('restarted: its guest ended while no cell ran (signal SIGKILL).')
  expect(await noticeAfter(() => { void notebook.execute('setTimeout(() => process.exit(9), 50)') })).toContain('restarted: its guest ended while no cell ran (exit code 9).')
})

test.each([['bun', bun], ['node', preset]])('a cell given to a guest that was killed a moment before runs in the next one, on %s', async (_, made) => {
  const notebook = openSupervisor({ preset: made })
  await notebook.execute('let runs = 0')
  for (let round = 0; round < 10; round++) {
    process.kill(notebook.current?.guestPid ?? 0, 'SIGKILL')
    const next = await notebook.execute(`globalThis.runs = (globalThis.runs ?? 0) + 1; runs`)
    expect(next).toMatchObject({ status: 'ok', result: '1' })
    expect(next.notices.join()).toContain('restarted: its guest ended while no cell ran (signal SIGKILL).')
  }
})

test('answers questions about a wedged notebook from a new guest instead of waiting for the old one', async () => {
  const notebook = openSupervisor({ preset, pingTimeoutMs: 200 })
  await notebook.execute('let a = 1')
  await notebook.execute('for (;;) {}', { timeoutMs: 200 })
  expect(await notebook.listNamespaceNames()).toEqual([])
  expect((await notebook.execute('2')).notices.join()).toContain('restarted')
})

test('is disposed at once while its guest is still starting', async () => {
  const notebook = openSupervisor({ preset: command('sleep 100') })
  const running = notebook.execute('1')
  running.catch(() => {})
  await notebook.dispose()
  await expect(running).rejects.toMatchObject({ code: 'ENGINE_DEAD' })
})
