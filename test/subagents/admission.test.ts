import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bench, op, scriptedAgent } from './support/fake-host.ts'
import { finished } from './support/lives.ts'

describe('admission', () => {
  test('a refusal leaves no trace and costs nothing of the limits', async () => {
    await using kids = bench({ options: { maxTotal: 1 }, agent: scriptedAgent({ model: requested => requested === 'p/m' ? { model: 'p/m' } : { refused: `there is no model '${String(requested)}'` } }) })
    await expect(kids.call('run', { task: 'x', model: 'nope' })).rejects.toMatchObject({ code: 'CHILD_MODEL', message: "No child was started: there is no model 'nope'" })
    expect(existsSync(kids.family.folder.path) ? kids.family.list() : []).toEqual([])
    expect(await kids.call('run', { task: 'x', model: 'p/m' })).toMatchObject({ status: 'queued', model: { requested: 'p/m', chosen: 'p/m', actual: null } })
    await expect(kids.call('run', { task: 'y', model: 'p/m' })).rejects.toMatchObject({ code: 'CHILD_TOTAL' })
  })

  test.each([
    ['a NUL in the task', {}, { task: 'a\0b' }, 'BAD_TASK'],
    ['a preset without an agent', { agent: null }, { task: 'x' }, 'NO_AGENT'],
    ['a depth beyond the limit', { options: { maxDepth: 0 } }, { task: 'x' }, 'CHILD_DEPTH'],
    ['a prompt larger than the model\'s window', { agent: scriptedAgent({ model: () => ({ model: 'small', window: 1_000 }) }) }, { task: 'x'.repeat(3_000_000) }, 'CHILD_PROMPT'],
    ['a working directory that is gone', { cwd: '/no/such/folder' }, { task: 'x' }, 'NO_FOLDER'],
  ])('%s is refused by name before anything starts', async (_, options, args, code) => {
    await using kids = bench(options)
    await expect(kids.call('run', args)).rejects.toMatchObject({ code })
    expect(kids.family.list(true)).toEqual([])
  })

  test('the model is the one asked for, else the setting, else the environment, else the agent\'s own', async () => {
    const asked: (string | undefined)[] = []
    const agent = scriptedAgent({ model: requested => { asked.push(requested); return { model: requested ?? 'own' } } })
    await using plain = bench({ agent })
    await using byEnv = bench({ agent, env: { PI_RLM_SUBAGENT_MODEL: 'env' } })
    await using byOption = bench({ agent, env: { PI_RLM_SUBAGENT_MODEL: 'env' }, options: { model: 'option' } })
    for (const kids of [plain, byEnv, byOption]) await kids.family.admit({ task: 'x', cell: 'c' })
    await byOption.family.admit({ task: 'x', cell: 'c', model: 'explicit' })
    expect(asked).toEqual([undefined, 'env', 'option', 'explicit'])
  })

  test.each([['-1', 'PI_RLM_MAX_DEPTH'], ['two', 'PI_RLM_MAX_DEPTH'], ['1e9', 'PI_RLM_MAX_DEPTH']])('PI_RLM_MAX_DEPTH=%s is an error that names the setting', (value, name) => {
    expect(() => bench({ env: { PI_RLM_MAX_DEPTH: value } })).toThrow(name)
  })

  test.each([{ timeoutMs: -1 }, { timeoutMs: Number.NaN }, { timeoutMs: '5' }, { timeoutMs: 2 ** 31 }, { concurrency: 0 }, { graceMs: 1.5 }, { costBudget: -1 }])('an option of %o is refused by name', options => {
    expect(() => bench({ options })).toThrow(Object.keys(options)[0])
  })

  test('a time of 0 switches the limit off', async () => {
    await using kids = bench({ options: { timeoutMs: 0 } })
    expect(await finished(kids, op('sleep', { ms: 100 }))).toMatchObject({ status: 'completed', timeout_ms: 0 })
  })
})
