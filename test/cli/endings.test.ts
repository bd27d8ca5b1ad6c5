import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { until } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { answers, Cli, cli, isAlive } from './support/cli.ts'
import { writePreset } from './support/presets.ts'

/** A notebook with a cell that runs without end, and the process of its guest. */
async function busy(args: readonly string[]): Promise<{ run: Cli; pid: number }> {
  const run = new Cli(args)
  run.send({ id: 1, code: 'let kept = [1, 2]' }, { id: 2, code: 'console.log(process.pid); await new Promise(() => {})' })
  const line = await run.line('the cell runs', ({ stream }) => stream === 'stdout')
  return { run, pid: Number(line['text']) }
}

describe.each([['SIGTERM', 143], ['SIGHUP', 129], ['SIGINT', 130]] as const)('%s', (signal, code) => {
  test('ends the guest, saves the names, and answers the cell that ran', async () => {
    const state = join(temporaryFolder(), 'state')
    const { run, pid } = await busy(['exec', '--snapshot', state])
    run.child.kill(signal)
    const finished = await run.finished
    expect([finished.code, finished.stderr]).toEqual([code, ''])
    expect(answers(finished.stdout).get(2)).toMatchObject({ status: 'aborted' })
    await until('the guest is gone', () => !isAlive(pid))
    expect(await cli(['--snapshot', state], 'kept')).toMatchObject({ code: 0, stdout: '[ 1, 2 ]\n' })
  })
})

test('a reader that leaves ends the notebook: what plugins do at the end is done, the guest is gone', async () => {
  const folder = temporaryFolder()
  const marker = join(folder, 'ended')
  const preset = writePreset(folder, 'p.mjs', `
    const last = definePlugin({ name: 'last', host: host => host.onDispose(async () => appendFileSync(${JSON.stringify(marker)}, 'saved')) })
    export const preset = definePreset({ name: 'p', runtime: node(), plugins: [...standard.plugins, last()] })`)
  const { run, pid } = await busy(['exec', '--preset', preset])
  run.child.stdout?.destroy()
  run.send({ id: 'x', op: 'abort', cell: 2 }, { id: 3, code: 'for (let i = 0; i < 1000; i++) { console.log(i); await new Promise(r => setTimeout(r, 5)) }' })
  const { code, stderr } = await run.finished
  expect([code, stderr]).toEqual([141, ''])
  await until('the guest is gone', () => !isAlive(pid))
  expect(readFileSync(marker, 'utf8')).toBe('saved')
})

test('the help may be cut off by its reader', async () => {
  const run = new Cli(['--help'])
  run.child.stdout?.destroy()
  expect(await run.finished).toMatchObject({ stderr: '' })
})

test('a program that runs is cancelled by SIGINT and says so', async () => {
  const run = new Cli(['run', '-'])
  run.child.stdin?.end('console.log("on")\nawait new Promise(() => {})')
  await run.shows('on\n')
  run.child.kill('SIGINT')
  expect(await run.finished).toMatchObject({ code: 130, stderr: 'The cell was cancelled; what it had bound stays.\n' })
})

test('a wedged guest does not keep the process', async () => {
  const run = new Cli(['exec'])
  run.send({ id: 1, code: 'console.log(process.pid)' }, { id: 2, code: 'for (;;) {}' })
  const { text } = await run.line('the guest tells its pid', ({ stream }) => stream === 'stdout')
  run.child.kill('SIGTERM')
  expect((await run.finished).code).toBe(143)
  await until('the guest is gone', () => !isAlive(Number(text)))
})

test('a host that is killed at once leaves no guest', async () => {
  const { run, pid } = await busy(['exec'])
  run.child.kill('SIGKILL')
  await run.finished
  await until('the guest is gone', () => !isAlive(pid))
})
