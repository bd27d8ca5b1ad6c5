import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bench, op, scriptedAgent } from './support/fake-host.ts'
import { answerOf, ended, finished } from './support/lives.ts'
import { until } from '../support/engine.ts'

describe('children outlive what asked for them', () => {
  test('an engine that dies takes no child with it, and the next engine finds it by name', async () => {
    await using kids = bench()
    await kids.family.admit({ task: op('sleep', { ms: 300, text: 'done' }), cell: 'c', name: 'slow' })
    kids.killEngine()
    const next = bench({ kept: kids.kept, folder: kids.folder })
    expect(next.family).toBe(kids.family)
    expect(answerOf(await ended(next, 'slow'))).toBe('done')
  })

  test('a second instance over the same session lists, waits for and stops the children of the first', async () => {
    await using first = bench()
    await using second = bench({ folder: first.folder })
    await first.family.admit({ task: op('sleep', { ms: 200, text: 'done' }), cell: 'c', name: 'slow' })
    await first.family.admit({ task: op('hang'), cell: 'c', name: 'endless' })
    expect(second.family.list().map(({ record }) => record.name)).toEqual(['slow', 'endless'])
    expect(answerOf(await ended(second, 'slow'))).toBe('done')
    expect((await second.family.remove('endless')).record).toMatchObject({ status: 'error', reason: 'stopped' })
  })

  test('the end of one session ends its own children and no others', async () => {
    await using one = bench()
    await using two = bench()
    await one.family.admit({ task: op('hang'), cell: 'c' })
    const { record } = await two.family.admit({ task: op('hang'), cell: 'c' })
    await until('it runs', () => two.family.find(record.id).record.process !== undefined)
    await one.disposeSession()
    expect(one.family.list()).toMatchObject([{ status: 'error', record: { reason: 'shutdown' } }])
    expect(two.family.find(record.id).status).toBe('running')
  })

  test('a host with nothing else to do stays until the ends of its children are written down', () => {
    const kept = new URL('../../dist/kernel/kept.js', import.meta.url)
    const program = `
      import { spawn } from 'node:child_process'
      const { endKept } = await import(${JSON.stringify(kept.href)})
      const main = async () => {
        const child = spawn('sleep', ['0.4'], { stdio: 'ignore' })
        child.unref()
        await endKept(new Map([['children', { [Symbol.asyncDispose]: () => new Promise(done => child.once('exit', done)) }]]))
        console.log('written down')
      }
      void main()`
    expect(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })).toBe('written down\n')
  })

  test('a session told to outlive its engine leaves its children running', async () => {
    await using first = bench()
    first.family.outlive()
    const { record } = await first.family.admit({ task: op('sleep', { ms: 300, text: 'after all' }), cell: 'c' })
    await first.disposeSession()
    await using second = bench({ folder: first.folder })
    expect(answerOf(await ended(second, record.id))).toBe('after all')
  })

  test('a wait that is cut short leaves the child running', async () => {
    await using kids = bench()
    const { record } = await kids.family.admit({ task: op('sleep', { ms: 400, text: 'late' }), cell: 'c' })
    const cancel = new AbortController()
    const waited = kids.family.wait([record.id], false, 0, cancel.signal)
    cancel.abort()
    expect((await waited)[0]?.status).not.toBe('completed')
    expect(answerOf(await ended(kids, record.id))).toBe('late')
  })

  test('without a state folder children work all the same, and nothing is left of them afterwards', async () => {
    const kids = bench({ statePath: null })
    const record = await finished(kids, 'x')
    expect(answerOf(record)).toBe('x')
    await kids[Symbol.asyncDispose]()
    expect(existsSync(record.output_file)).toBe(false)
  })
})

describe('what is told', () => {
  test('the end of a child nobody waits for is a line with the next result', async () => {
    await using kids = bench()
    await kids.family.admit({ task: 'x', cell: 'c', name: 'quiet' })
    await kids.family.admit({ task: op('crash'), cell: 'c', name: 'loud' })
    await until('both have ended', () => kids.family.active().length === 0)
    expect([...kids.notices].sort()).toEqual([expect.stringMatching(/^child 'loud' ended, crashed: exit code 3/), expect.stringMatching(/^child 'quiet' completed: 1 bytes in /)])
  })

  test('the end of a child that is waited for is told to the one who waits alone', async () => {
    await using kids = bench()
    await finished(kids, op('sleep', { ms: 100 }))
    expect(kids.notices).toEqual([])
  })

  test('a plain model call without an agent that can make one is an error that says where it is offered', async () => {
    await using kids = bench()
    await expect(kids.call('ask', { prompt: 'hi' })).rejects.toMatchObject({ code: 'NO_ASK' })
    await using able = bench({ agent: scriptedAgent({ ask: ({ prompt }) => Promise.resolve({ text: `${prompt}!`, model: 'm' }) }) })
    expect(await able.call('ask', { prompt: 'hi' })).toEqual({ text: 'hi!', model: 'm' })
  })
})
