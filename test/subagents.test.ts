import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ChildRecord } from '../plugins/subagents/records/record.ts'
import { processRows } from '../plugins/subagents/child/processes.ts'
import { type Bench, bench, catAgent, op, scriptedAgent } from './subagents/support/fake-host.ts'
import { pause, until } from './support/engine.ts'

const never = new AbortController().signal

/** Admits a child and waits for its end. */
async function finished(kids: Bench, task: string, more: object = {}): Promise<ChildRecord> {
  const { record } = await kids.family.admit({ task, cell: 'cell-1', ...more })
  return ended(kids, record.id)
}
async function ended(kids: Bench, key: string): Promise<ChildRecord> {
  const [view] = await kids.family.wait([key], false, 0, never)
  if (view === undefined) throw new Error('no view')
  return view.record
}
const lives = (pid: number | undefined): boolean => processRows().some(row => row.pid === pid)
const answerOf = (record: ChildRecord): string => readFileSync(record.output_file, 'utf8')

describe('what becomes of a child', () => {
  test('an answer is kept whole and alone in its file, and the record says completed', async () => {
    await using kids = bench()
    const record = await finished(kids, 'Tell me')
    expect(record).toMatchObject({ status: 'completed', exit_code: 0, output_bytes: 7, spawn_cell_id: 'cell-1', depth: 1 })
    expect(answerOf(record)).toBe('Tell me')
    expect(kids.family.folder.read(record.id)).toEqual(record)
  })

  test.each([
    ['a crash', op('crash', { code: 3 }), { status: 'error', reason: 'crashed', exit_code: 3, message: 'exit code 3: boom: the provider refused' }],
    ['an exit code that other programs use for time-outs', op('crash', { code: 124, stderr: '' }), { status: 'error', reason: 'crashed', exit_code: 124 }],
    ['a signal from elsewhere', op('selfkill'), { status: 'error', reason: 'crashed', signal: 'SIGKILL' }],
    ['half an answer', op('partial'), { status: 'error', reason: 'crashed', signal: 'SIGKILL', output_bytes: 15 }],
    ['silence', op('silent'), { status: 'completed', output_bytes: 0, warnings: ['the answer is empty'] }],
    ['noise on stderr', op('noise'), { status: 'completed', output_bytes: 10, stderr_bytes: 2800 }],
    ['an explanation before a failure', op('explain'), { status: 'error', reason: 'crashed', exit_code: 1, message: 'exit code 1: cannot go on' }],
    ['bytes that are no text', op('bytes'), { status: 'completed', output_bytes: 12 }],
    ['32 MB', op('big', { mb: 32 }), { status: 'completed', output_bytes: 32 << 20 }],
    ['an unknown task of the agent', op('no-such-thing'), { status: 'error', reason: 'crashed', exit_code: 2 }],
  ])('%s is recorded as what it is', async (_, task, facts) => {
    await using kids = bench()
    expect(await finished(kids, task)).toMatchObject(facts)
  })

  test('half an answer is kept as partial and never as the answer', async () => {
    await using kids = bench()
    const record = await finished(kids, op('partial'))
    expect(existsSync(record.output_file)).toBe(false)
    expect(readFileSync(record.partial_file ?? '', 'utf8')).toBe('half of the ans')
  })

  test('bytes that are no text reach the file as they are, and stderr stays apart', async () => {
    await using kids = bench()
    expect(readFileSync((await finished(kids, op('bytes'))).output_file)).toEqual(Buffer.from([0xff, 0xfe, 0, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x41, 0xed, 0xa0, 0x80]))
    const noisy = await finished(kids, op('noise', { lines: 3 }))
    expect(answerOf(noisy)).toBe('the answer')
    expect(readFileSync(noisy.stderr_file ?? '', 'utf8')).toBe('Warning: deprecated setting\n'.repeat(3))
  })

  test('a command that does not exist is a failed start that says so', async () => {
    await using kids = bench({ agent: scriptedAgent({ plan: ({ cwd }) => ({ kind: 'child', command: '/no/such/agent', args: [], env: {}, cwd, stdio: ['pipe', 'pipe', 'pipe'] }) }) })
    expect(await finished(kids, 'x')).toMatchObject({ status: 'error', reason: 'failed-to-start', message: expect.stringContaining('/no/such/agent') as string })
  })

  test('an answer that outgrows its limit ends the child as too large, with the beginning kept', async () => {
    await using kids = bench({ options: { maxAnswerBytes: 100_000 } })
    const record = await finished(kids, op('big', { mb: 8 }))
    expect(record).toMatchObject({ status: 'error', reason: 'too-large' })
    expect(readFileSync(record.partial_file ?? '').length).toBe(100_000)
  })
})

describe('ends', () => {
  test('delete, wall time, silence, session end and a crash are five different words', async () => {
    await using kids = bench({ options: { graceMs: 300, stallMs: 1_500 } })
    const deleted = await kids.family.admit({ task: op('hang'), cell: 'a', name: 'deleted' })
    const timed = await kids.family.admit({ task: op('hang'), cell: 'a', timeoutMs: 300 })
    const stalled = await kids.family.admit({ task: op('header'), cell: 'a' })
    const crashed = await kids.family.admit({ task: op('crash'), cell: 'a' })
    await kids.family.remove('deleted')
    const reasons = await Promise.all([deleted, timed, stalled, crashed].map(async ({ record }) => (await ended(kids, record.id)).reason))
    const left = await kids.family.admit({ task: op('hang'), cell: 'a' })
    await kids.family.endAll()
    expect([...reasons, kids.family.find(left.record.id).record.reason]).toEqual(['stopped', 'timeout', 'stalled', 'crashed', 'shutdown'])
    expect(kids.family.find(stalled.record.id).record.partial_file).toBeDefined()
  })

  test('a child that is deaf to TERM is killed after the grace period, with what it started', async () => {
    await using kids = bench({ options: { graceMs: 300 } })
    const { record } = await kids.family.admit({ task: op('deafParent'), cell: 'a' })
    await until('the grandchild is there', () => (kids.family.find(record.id).record.last_activity_at ?? 0) > (kids.family.find(record.id).record.started_at ?? Infinity))
    await until('its output is in the spool', () => existsSync(kids.family.folder.paths(record.id).spool))
    const { grandchild } = JSON.parse(readFileSync(kids.family.folder.paths(record.id).spool, 'utf8')) as { grandchild: number }
    const pid = kids.family.find(record.id).record.process?.pid
    const { status } = await kids.family.remove(record.id)
    expect({ status, child: lives(pid), grandchild: lives(grandchild) }).toEqual({ status: 'error', child: false, grandchild: false })
  })

  test('a child in an endless loop ends by delete like any other', async () => {
    await using kids = bench({ options: { graceMs: 300 } })
    const { record } = await kids.family.admit({ task: op('spin'), cell: 'a' })
    await until('it runs', () => kids.family.find(record.id).record.process !== undefined)
    expect((await kids.family.remove(record.id)).record).toMatchObject({ status: 'error', reason: 'stopped' })
  })

  test('a process left in the child\'s group is ended with it and named', async () => {
    await using kids = bench()
    const record = await finished(kids, op('orphan', { inherit: true, exit: true }))
    const { grandchild } = JSON.parse(answerOf(record)) as { grandchild: number }
    expect(record).toMatchObject({ status: 'completed', warnings: [`processes it left behind were ended: ${grandchild}`] })
    expect(lives(grandchild)).toBe(false)
  })

  test('a process that left the group and holds the pipe delays nothing and is mentioned', async () => {
    await using kids = bench()
    const record = await finished(kids, op('orphan', { inherit: true, detached: true, exit: true }))
    const { grandchild } = JSON.parse(answerOf(record)) as { grandchild: number }
    process.kill(grandchild, 'SIGKILL')
    expect(record).toMatchObject({ status: 'completed', warnings: ['a process it started has left its group and still holds its output'] })
  })

  test('deleting twice, after the end and while it ends is no error; deleting an unknown name is', async () => {
    await using kids = bench({ options: { graceMs: 300 } })
    const { record } = await kids.family.admit({ task: op('hang'), cell: 'a', name: 'one' })
    await until('it runs', () => kids.family.find(record.id).record.process !== undefined)
    await Promise.all([kids.family.remove('one'), kids.family.remove('one'), kids.family.remove(record.id)])
    expect(kids.family.list()).toMatchObject([{ status: 'error', record: { reason: 'stopped' } }])
    await kids.family.remove('one')
    expect(kids.family.list()).toEqual([])
    expect((await kids.family.remove('one')).record.deleted_at).toBeDefined()
    await expect(kids.family.remove('other')).rejects.toThrow("there is no child 'other' of this session; it has none")
  })

  test('a queued child that is deleted never runs', async () => {
    await using kids = bench({ options: { concurrency: 1, graceMs: 300 } })
    const first = await kids.family.admit({ task: op('hang'), cell: 'a' })
    const second = await kids.family.admit({ task: op('echo'), cell: 'a' })
    const gone = await kids.family.remove(second.record.id)
    expect(gone.record).toMatchObject({ status: 'error', reason: 'stopped' })
    expect(gone.record).not.toHaveProperty('process')
    await kids.family.remove(first.record.id)
  })
})

describe('the queue', () => {
  test('150 children at once keep to the limit, wait in order and all complete', async () => {
    await using kids = bench({ options: { concurrency: 4 }, agent: catAgent })
    let most = 0
    kids.family.onChange(() => { most = Math.max(most, kids.family.active().filter(({ status }) => status === 'running').length) })
    const children = await Promise.all(Array.from({ length: 150 }, (_, index) => kids.family.admit({ task: `task ${index}`, cell: 'a' })))
    expect(children.filter(({ status }) => status === 'queued').length).toBeGreaterThan(100)
    const views = await kids.family.wait(children.map(({ record }) => record.id), false, 0, never)
    expect(views.map(({ record }) => readFileSync(record.output_file, 'utf8'))).toEqual(children.map((_, index) => `task ${index}`))
    expect(most).toBe(4)
    const starts = views.map(({ record }) => record.started_at ?? 0)
    expect(starts).toEqual([...starts].sort((a, b) => a - b))
    expect(kids.family.active()).toEqual([])
  })

  test('a place is free only when the child before is gone, however deaf it was', async () => {
    await using kids = bench({ options: { concurrency: 1, graceMs: 300 } })
    const deaf = await kids.family.admit({ task: op('deaf'), cell: 'a' })
    const next = await kids.family.admit({ task: op('echo'), cell: 'a' })
    await until('the deaf child runs', () => existsSync(kids.family.folder.paths(deaf.record.id).spool))
    await kids.family.remove(deaf.record.id)
    const after = await ended(kids, next.record.id)
    expect(after.started_at).toBeGreaterThanOrEqual(kids.family.find(deaf.record.id).record.finished_at ?? Infinity)
  })

  test('a wait covers children that are still queued', async () => {
    await using kids = bench({ options: { concurrency: 2 } })
    const children = await Promise.all([1, 2, 3, 4, 5].map(n => kids.family.admit({ task: op('sleep', { ms: 50, text: `${n}` }), cell: 'a' })))
    expect(children.at(-1)?.status).toBe('queued')
    expect(answerOf(await ended(kids, children.at(-1)?.record.id ?? ''))).toBe('5')
  })

  test('of two children with one name both run, and the second gets another name', async () => {
    await using kids = bench()
    const [a, b] = await Promise.all(['a', 'b'].map(task => kids.family.admit({ task, cell: 'c', name: 'x' })))
    expect([a?.record.name, b?.record.name].sort()).toEqual(['x', 'x-2'])
    expect(a?.record.output_file).not.toBe(b?.record.output_file)
  })

  test('a child that failed gives its name back, and the name then means the live one', async () => {
    await using kids = bench()
    await finished(kids, op('crash'), { name: 'x' })
    const { record } = await kids.family.admit({ task: op('hang'), cell: 'c', name: 'x' })
    expect(record.name).toBe('x')
    expect(kids.family.find('x').record.id).toBe(record.id)
  })
})

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

describe('the disk', () => {
  test('a record that cannot be written loses no child and is written later', async () => {
    await using kids = bench()
    const write = kids.family.folder.write.bind(kids.family.folder)
    let fails = false
    kids.family.folder.write = record => { if (fails) throw Object.assign(new Error('no space'), { code: 'ENOSPC' }); write(record) }
    const { record } = await kids.family.admit({ task: op('sleep', { ms: 50 }), cell: 'c' })
    fails = true
    await pause(400)
    expect(kids.family.find(record.id).status).not.toBe('error')
    fails = false
    await until('it is written', () => kids.family.folder.read(record.id)?.status === 'completed')
  })

  test('an answer that cannot be written is an error and no silent loss', async () => {
    await using kids = bench()
    const { record } = await kids.family.admit({ task: op('sleep', { ms: 300, text: 'x' }), cell: 'c' })
    await until('it runs', () => kids.family.find(record.id).record.process !== undefined)
    rmSync(kids.family.folder.path, { recursive: true })
    await until('it has ended', () => kids.family.active().length === 0)
    kids.family.folder.prepare()
    await until('the record is there', () => kids.family.folder.read(record.id) !== undefined)
    expect(kids.family.folder.read(record.id)).toMatchObject({ status: 'error', reason: 'failed', message: expect.stringContaining('could not be written') as string })
  })

  test('the folder ignores itself, and nobody else may look into it', async () => {
    await using kids = bench()
    const record = await finished(kids, 'x')
    const { statSync } = await import('node:fs')
    expect(readFileSync(join(kids.family.folder.path, '.gitignore'), 'utf8')).toBe('*\n')
    expect(statSync(kids.family.folder.path).mode & 0o777).toBe(0o700)
    expect([record.output_file, record.prompt_file, `${kids.family.folder.path}/${record.id}.json`].map(path => statSync(path).mode & 0o777)).toEqual([0o600, 0o600, 0o600])
  })
})
