import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { until } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { answers, Cli, cli, isAlive, jsonLines } from './support/cli.ts'

const input = (...lines: readonly (object | string)[]): string => lines.map(line => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')

describe.each(['default', 'node'])('exec on preset %s', preset => {
  test('tells first what it is, then streams output, then answers each cell with its result', async () => {
    const { code, stdout, stderr } = await cli(['exec', '--preset', preset], input({ id: 'a', code: 'console.log("out"); console.error("err"); ({ n: [1] })', json: true }, { id: 2, code: 'new Map()', json: true }))
    const lines = jsonLines(stdout)
    expect(lines[0]).toEqual({ event: 'ready', preset, runtime: expect.stringMatching(/^(bun|node) \d/) as string, restore: null })
    expect(lines).toContainEqual({ id: 'a', stream: 'stdout', text: 'out\n' })
    expect(lines).toContainEqual({ id: 'a', stream: 'stderr', text: 'err\n' })
    expect(answers(stdout).get('a')).toMatchObject({ id: 'a', status: 'ok', stdout: 'out\n', stderr: 'err\n', value: { n: [1] }, cell: { id: 'a', number: 1 }, durationMs: expect.toSatisfy((value: number) => Number(value.toFixed(3)) === value) as number })
    expect(answers(stdout).get(2)).not.toHaveProperty('value')
    expect(answers(stdout).get(2)).toMatchObject({ result: 'Map(0) {}' })
    expect([code, stderr]).toEqual([0, ''])
  })

  test('answers an exit, a crash, a kill and a wedged loop truthfully, one after the other, and goes on', async () => {
    const state = join(temporaryFolder(), 'state')
    const run = new Cli(['exec', '--preset', preset, '--snapshot', state])
    run.send({ id: 'bind', code: 'let kept = { n: 7 }' }, { id: 'save', op: 'snapshot' }, { id: 'exit', code: 'console.log("leaving"); process.exit(7)' }, { id: 'after exit', code: 'kept.n' })
    run.send({ id: 'crash', code: 'process.abort()' }, { id: 'after crash', code: 'kept.n' }, { id: 'pid', code: 'process.pid', json: true })
    const pid = (await run.line('the guest tells its pid', line => line['id'] === 'pid' && 'status' in line))['value'] as number
    run.send({ id: 'killed', code: 'console.log("waiting"); await new Promise(() => {})' })
    await run.line('the cell waits', line => line['id'] === 'killed')
    process.kill(pid, 'SIGKILL')
    run.send({ id: 'after kill', code: 'kept.n' }, { id: 'wedged', code: 'for (;;) {}', timeoutMs: 400 }, { id: 'after loop', code: 'kept.n' })
    const { code, stdout } = await run.end()
    const said = answers(stdout)
    for (const [id, how] of [['exit', 'exit code 7'], ['crash', 'signal SIGABRT'], ['killed', 'signal SIGKILL']] as const) {
      expect(said.get(id), id).toMatchObject({ status: 'error', error: { name: 'GuestDied', message: expect.stringContaining(how) as string } })
    }
    expect(said.get('exit')).toMatchObject({ stdout: 'leaving\n' })
    expect(said.get('wedged')).toMatchObject({ status: 'error', error: { name: 'CellTimeout' } })
    for (const id of ['after exit', 'after crash', 'after kill', 'after loop']) {
      expect(said.get(id), id).toMatchObject({ status: 'ok', result: '7' })
      expect((said.get(id)?.['notices'] as string[]).filter(text => text.includes('was restarted')), id).toHaveLength(1)
    }
    expect(code).toBe(0)
  })
})

describe('exec', () => {
  test('cancels a cell that runs, one that waits, and none that is over', async () => {
    const run = new Cli(['exec'])
    run.send({ id: 1, code: 'console.log("on"); await new Promise(() => {})' }, { id: 2, code: 'globalThis.ran = true' }, { id: 3, code: 'typeof ran' })
    await run.line('the first cell runs', line => line['stream'] === 'stdout')
    run.send({ id: 'x', op: 'abort', cell: 2 }, { id: 'y', op: 'abort', cell: 1 }, { id: 'z', op: 'abort', cell: 'nobody' })
    const { code, stdout } = await run.end()
    const said = answers(stdout)
    expect([said.get(1)?.['status'], said.get(2)?.['status'], said.get(3)?.['result']]).toEqual(['aborted', 'aborted', '\'undefined\''])
    expect([said.get('x')?.['aborted'], said.get('y')?.['aborted'], said.get('z')?.['aborted']]).toEqual([true, true, false])
    expect(code).toBe(0)
  })

  test('cancels what was sent while the guest was still starting', async () => {
    const { code, stdout } = await cli(['exec'], input({ id: 1, code: 'globalThis.ran = 1' }, { id: 'x', op: 'abort', cell: 1 }, { id: 2, code: 'typeof ran' }))
    expect(jsonLines(stdout)[0]).toMatchObject({ event: 'ready' })
    expect(answers(stdout).get(1)).toMatchObject({ status: 'aborted' })
    expect(answers(stdout).get(2)).toMatchObject({ result: '\'undefined\'' })
    expect(code).toBe(0)
  })

  test('names a line it does not understand, loses none of the others, and ends with 2', async () => {
    const { code, stdout } = await cli(['exec'], input({ id: 1, code: '1' }, '{"id":2,"code":', { id: 3, code: '3' }, { id: 4, op: 'snapshoot' }, { id: 3.5, code: 'x', timeoutMs: -1 }, { id: 5, code: '5' }).trimEnd())
    const errors = jsonLines(stdout).filter(line => line['event'] === 'error')
    expect(errors).toMatchObject([{ line: 2, message: expect.stringContaining('not JSON') as string }, { line: 4, id: 4 }, { line: 5, id: 3.5, message: expect.stringContaining('timeoutMs') as string }])
    expect([1, 3, 5].map(id => answers(stdout).get(id)?.['result'])).toEqual(['1', '3', '5'])
    expect(code).toBe(2)
  })

  test('refuses an id that is in use, and a cell too long, by name', async () => {
    const { code, stdout } = await cli(['exec'], input({ id: 1, code: 'await 1; 1' }, { id: 1, code: '2' }, { id: 2, code: `"${'x'.repeat(10_000_000)}"` }, { id: 3, code: '3' }))
    expect(jsonLines(stdout)).toContainEqual({ event: 'error', line: 2, id: 1, message: 'id 1 belongs to a line that is not answered yet; use another' })
    expect(answers(stdout).get(2)).toMatchObject({ status: 'error', error: { code: 'BAD_ARGUMENT', message: expect.stringContaining('10000002 characters') as string } })
    expect(answers(stdout).get(3)).toMatchObject({ result: '3' })
    expect(code).toBe(2)
  })

  test('does ops in their turn: names and saves what the cells before them made', async () => {
    const state = join(temporaryFolder(), 'state')
    const { stdout } = await cli(['exec', '--snapshot', state], input(
      { id: 1, code: 'await new Promise(r => setTimeout(r, 50)); let a = [1]' }, { id: 'n', op: 'names' }, { id: 's', op: 'snapshot' }))
    expect(answers(stdout).get('n')).toMatchObject({ names: [{ name: 'a', type: 'Array', size: 1 }] })
    expect(answers(stdout).get('s')).toMatchObject({ op: 'snapshot', saved: ['a'], generation: expect.any(Number) as number })
    const again = await cli(['exec', '--snapshot', state], input({ id: 1, code: 'a = "changed"' }, { id: 'r', op: 'restore' }, { id: 2, code: 'a' }, { id: 'g', op: 'restore', generation: 1 }, { id: 'none', op: 'restore', generation: 99 }))
    expect(jsonLines(again.stdout)[0]).toMatchObject({ event: 'ready', restore: { restored: ['a'] } })
    expect(answers(again.stdout).get('r')).toMatchObject({ op: 'restore', restored: ['a'] })
    expect(answers(again.stdout).get(2)).toMatchObject({ result: '[ 1 ]' })
    expect(answers(again.stdout).get('g')).toMatchObject({ op: 'restore', generation: 1 })
    expect(answers(again.stdout).get('none')).toMatchObject({ error: { message: expect.stringContaining('99') as string } })
  })

  test('answers an op without a state folder, and one behind a wedged loop', async () => {
    const { code, stdout } = await cli(['exec'], input({ id: 's', op: 'snapshot' }, { id: 1, code: 'for (;;) {}', timeoutMs: 200 }, { id: 'n', op: 'names' }))
    expect(answers(stdout).get('s')).toMatchObject({ op: 'snapshot', error: { code: 'NO_SNAPSHOT' } })
    expect(answers(stdout).get('n')).toMatchObject({ names: [] })
    expect(code).toBe(0)
  })

  test('holds a fast writer back instead of keeping all it sends', async () => {
    const run = new Cli(['exec'])
    const line = `${JSON.stringify({ id: 'ID', code: `await 0; "${'x'.repeat(1_000_000)}".length` })}\n`
    let sent = 0
    for (; sent < 100 && run.child.stdin?.writableNeedDrain === false; sent++) run.write(line.replace('ID', `${sent}`))
    for (; sent < 100; sent++) {
      run.write(line.replace('ID', `${sent}`))
      if (run.child.stdin?.writableNeedDrain === true) await new Promise(resolve => run.child.stdin?.once('drain', resolve))
    }
    const { code, stdout } = await run.end()
    expect(answers(stdout).size).toBe(100)
    expect([...answers(stdout).values()].every(answer => answer['result'] === '1000000')).toBe(true)
    expect(code).toBe(0)
  })

  test('leaves nothing running when its input ends', async () => {
    const run = new Cli(['exec'])
    run.send({ id: 1, code: 'require("node:child_process").spawn("sleep", ["600"], { stdio: "ignore" }).pid', json: true }, { id: 2, code: 'process.pid', json: true })
    const { stdout } = await run.end()
    const pids = [1, 2].map(id => answers(stdout).get(id)?.['value'] as number)
    expect(pids.every(pid => pid > 0)).toBe(true)
    await until('the guest and what it started are gone', () => !pids.some(isAlive))
  })
})
