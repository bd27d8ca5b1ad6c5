import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bench, op, scriptedAgent } from './support/fake-host.ts'
import { answerOf, ended, finished } from './support/lives.ts'
import { until } from '../support/engine.ts'

describe('the prompt', () => {
  test.each(['- [ ] fix it', '--help me', '@notes.md read this', '', ' \n "quotes" $HOME `x` \n', 'ü\u{1f600}'.repeat(1_000), 'x'.repeat(5_000_000)])('reaches the child exactly: %.20s', async task => {
    await using kids = bench()
    expect(answerOf(await finished(kids, task))).toBe(task)
  })

  test('is on no command line', async () => {
    await using kids = bench()
    const secret = 'a-task-nobody-else-should-see'
    const { record } = await kids.family.admit({ task: op('where', { secret }) + secret, cell: 'c' })
    const { argv, cwd } = JSON.parse(answerOf(await ended(kids, record.id))) as { argv: string[]; cwd: string }
    expect(argv.join(' ')).not.toContain(secret)
    expect(cwd).toBe(kids.folder)
  })

  test('names the files of its inputs, which hold the values', async () => {
    await using kids = bench()
    const path = join(kids.folder, 'staged.txt')
    await import('node:fs').then(fs => fs.writeFileSync(path, 'value'))
    const record = await finished(kids, 'Read it', { inputs: [{ name: 'report', path, bytes: 5, kind: 'text' }] })
    const named = /- report: (\S+) \(text, 5 bytes\)/.exec(answerOf(record))?.[1] ?? ''
    expect(readFileSync(named, 'utf8')).toBe('value')
    expect(existsSync(path)).toBe(false)
  })
})

describe('what a child inherits', () => {
  test('the environment of the notebook without the marks of this one', async () => {
    await using kids = bench({ env: { PI_RLM_FORCE: '1', PI_RLM_CHILD: 'x', PI_RLM_MAX_DEPTH: '3', SOME_API_KEY: 'k' } })
    const agent = await finished(kids, op('env', { prefix: '' }))
    const env = JSON.parse(answerOf(agent)) as Record<string, string>
    expect(env).toMatchObject({ SOME_API_KEY: 'k', PI_RLM_MAX_DEPTH: '3' })
    expect(Object.keys(env).filter(name => name.startsWith('PI_RLM_'))).toEqual(['PI_RLM_MAX_DEPTH'])
  })

  test('its place in the tree, in a file that is gone once it has ended', async () => {
    let path = ''
    await using kids = bench({ agent: scriptedAgent({ plan: async request => { path = request.handoverPath; const plan = await scriptedAgent().plan(request); return { ...plan, args: [...plan.args, `--handover=${path}`] } } }), options: { maxDepth: 3, maxTotal: 7 } })
    const { record } = await kids.family.admit({ task: op('hang'), cell: 'c' })
    await until('it runs', () => kids.family.find(record.id).record.process !== undefined)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ version: 1, id: record.id, depth: 1, root: 'session', limits: { maxDepth: 3, maxTotal: 7 } })
    await kids.family.remove(record.id)
    expect(existsSync(path)).toBe(false)
  })

  test('a wrapper put around its command by onSpawn', async () => {
    await using kids = bench()
    kids.host.hooks.onSpawn.tap('wrapper', plan => plan.kind === 'child' ? { ...plan, command: '/bin/sh', args: ['-c', 'echo wrapped; "$@"', 'sh', plan.command, ...plan.args] } : plan)
    expect(answerOf(await finished(kids, 'x'))).toBe('wrapped\nx')
  })
})
