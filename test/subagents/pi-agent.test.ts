import { expect, test } from 'vitest'
import type { ChildProgress } from '../../kernel/plugin.ts'
import { piAgent, type PiAgentOptions } from '../../plugins/subagents/pi/agent.ts'
import { piEvents } from '../../plugins/subagents/pi/events.ts'
import { bench, op, scriptedAgent } from './support/fake-host.ts'

const said = (text: string, more: Record<string, unknown> = {}) => ({
  type: 'message_end',
  message: { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }, { type: 'text', text }], provider: 'p', model: 'm', stopReason: 'stop', usage: { input: 10, output: 5, cacheRead: 100, cacheWrite: 1, cost: { total: 0.25 } }, ...more },
})
const start = [{ type: 'session', version: 3, id: 's' }, { type: 'agent_start' }]
const end = { type: 'agent_end', messages: [] }

function read(events: readonly object[], pieces = 1): ChildProgress {
  const reader = piEvents()
  const bytes = Buffer.from(events.map(event => `${JSON.stringify(event)}\n`).join(''))
  const size = Math.ceil(bytes.length / pieces)
  for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size))
  return reader.progress()
}

test('the answer is the text of the last message, and usage is the sum of all with the window of the last', () => {
  expect(read([...start, said('first'), { type: 'tool_execution_start', toolCallId: 'x', toolName: 'execute' }, said('ü last'), end])).toEqual({
    answer: 'ü last', ended: true, model: 'p/m', activity: 'answered', usage: { input: 20, output: 10, cacheRead: 200, cacheWrite: 2, cost: 0.5, context: 116, turns: 2 },
  })
})

test('events mean the same however the pipe cuts them', () => {
  const events = [...start, said('ü'.repeat(500)), { type: 'tool_execution_start', toolCallId: 'x', toolName: 'bash' }, said('日本'), end]
  for (const pieces of [1, 7, 100, 1_000]) expect(read(events, pieces)).toEqual(read(events))
})

test('updates that repeat everything and ends that repeat every image are not kept', () => {
  const image = { type: 'image', data: 'A'.repeat(8 << 20) }
  const reader = piEvents()
  const before = process.memoryUsage().arrayBuffers
  const write = (event: object) => reader.write(Buffer.from(`${JSON.stringify(event)}\n`))
  write({ type: 'session' })
  for (let round = 0; round < 10; round++) write({ type: 'message_update', message: { role: 'assistant', content: [image] } })
  write(said('seen'))
  write({ type: 'turn_end', message: {}, toolResults: [image] })
  write({ type: 'agent_end', messages: [image, image] })
  expect(reader.progress()).toMatchObject({ answer: 'seen', ended: true })
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200 << 20)
})

test('a retry that succeeds leaves no trace of the failure; one that does not is the error', () => {
  const failed = said('', { stopReason: 'error', errorMessage: 'overloaded' })
  expect(read([...start, failed, end])).toMatchObject({ error: 'overloaded', ended: true })
  expect(read([...start, failed, end, { type: 'agent_start' }, said('yes'), end])).not.toHaveProperty('error')
  expect(read([...start, said('half of it', { stopReason: 'length' }), end])).toMatchObject({ error: expect.stringContaining('token limit') as string })
})

const agent = scriptedAgent({ read: piEvents })
const run = async (task: string, options: Record<string, unknown> = {}, more: Partial<typeof agent> = {}) => {
  await using kids = bench({ agent: { ...agent, ...more }, options })
  const { record } = await kids.family.admit({ task, cell: 'c' })
  const [view] = await kids.family.wait([record.id], false, 0, new AbortController().signal)
  const { readFileSync } = await import('node:fs')
  return { record: view?.record, answer: view?.status === 'completed' ? readFileSync(view.record.output_file, 'utf8') : null }
}

test('an agent of events gets its answer alone into the file, with usage and model in the record', async () => {
  const { record, answer } = await run(op('events', { events: [...start, said('the answer'), end] }))
  expect(answer).toBe('the answer')
  expect(record).toMatchObject({ status: 'completed', output_bytes: 10, model: { actual: 'p/m' }, usage: { input: 10, output: 5, cache_read: 100, cache_write: 1, cost: 0.25, context: 116, turns: 1 } })
})

test('an exit in the middle of a tool call is told as ended early, with what was seen last', async () => {
  const { record } = await run(op('events', { events: [...start, said('working'), { type: 'tool_execution_start', toolCallId: 'x', toolName: 'bash' }, { exit: 0 }] }))
  expect(record).toMatchObject({ status: 'error', reason: 'ended-early', message: expect.stringContaining('tool bash') as string, partial_file: expect.any(String) as string })
})

test('an error of the agent itself is told in its own words', async () => {
  const { record } = await run(op('events', { events: [...start, said('', { stopReason: 'error', errorMessage: '401 bad key' }), end] }))
  expect(record).toMatchObject({ status: 'error', reason: 'failed', message: '401 bad key' })
})

test('a child that gives no sign of life is told as failed to start', async () => {
  const { record } = await run(op('hang'), { startMs: 300, graceMs: 200 })
  expect(record).toMatchObject({ status: 'error', reason: 'failed-to-start', message: expect.stringContaining('300 ms') as string })
})

test('an answer from another model than the chosen one is an error that names both', async () => {
  const { record } = await run(op('events', { events: [...start, said('x'), end] }), { model: 'p/dear' }, { model: requested => ({ model: requested ?? null }) })
  expect(record).toMatchObject({ status: 'error', reason: 'wrong-model', message: 'p/dear was chosen and p/m answered' })
})

test('a start that failed for want of a lock is tried once more, and only once', async () => {
  const { mkdtempSync, rmSync } = await import('node:fs')
  const folder = mkdtempSync('/tmp/pi-rlm-flaky-')
  const flaky = { transient: (stderr: string) => stderr.includes('No API key found') }
  try {
    const once = await run(op('flaky', { file: `${folder}/1`, failures: 1, stderr: 'No API key found' }), {}, { ...flaky, read: undefined } as never)
    const twice = await run(op('flaky', { file: `${folder}/2`, failures: 2, stderr: 'No API key found' }), {}, { ...flaky, read: undefined } as never)
    expect([once.answer, twice.record?.reason]).toEqual(['answered at try 2', 'crashed'])
  } finally { rmSync(folder, { recursive: true }) }
})

test('plain model calls count against the budget of the whole tree, also after a restart', async () => {
  const usage = { input: 60, output: 40, cacheRead: 0, cacheWrite: 0, cost: 0.1, context: 100, turns: 1 }
  const asking = scriptedAgent({ ask: () => Promise.resolve({ text: 'yes', usage }) })
  const options = { tokenBudget: 150 }
  await using kids = bench({ agent: asking, options })
  expect(await kids.call('ask', { prompt: 'x' })).toMatchObject({ text: 'yes' })
  await using again = bench({ agent: asking, options, folder: kids.folder })
  expect(await again.call('ask', { prompt: 'x' })).toMatchObject({ text: 'yes' })
  await expect(again.call('ask', { prompt: 'x' })).rejects.toMatchObject({ code: 'CHILD_BUDGET', message: 'no call was made: the tree has used 200 of 150 tokens. Go on with the answers you have.' })
  await expect(again.family.admit({ task: 'x', cell: 'c' })).rejects.toMatchObject({ code: 'CHILD_BUDGET' })
})

test('a budget that is spent ends what runs and refuses what comes', async () => {
  await using kids = bench({ agent, options: { costBudget: 0.2, graceMs: 200 } })
  const { record } = await kids.family.admit({ task: op('events', { events: [...start, said('dear'), { type: 'agent_start' }], hang: true }), cell: 'c' })
  const [view] = await kids.family.wait([record.id], false, 0, new AbortController().signal)
  expect(view?.record).toMatchObject({ status: 'error', reason: 'budget', message: 'stopped because the tree has cost 0.2500 of 0.2' })
  await expect(kids.family.admit({ task: 'x', cell: 'c' })).rejects.toMatchObject({ code: 'CHILD_BUDGET' })
})

const options = (change: Partial<PiAgentOptions> = {}): PiAgentOptions => ({
  command: 'node', args: ['cli.js'], extensions: () => ['/e/index.ts'], discovers: () => true, flags: () => ['--rlm=1'], handoverFlag: 'rlm-child', model: () => 'p/m', models: () => [{ provider: 'p', id: 'm' }], ...change,
})
const request = { id: 'c-1', model: 'p/m', depth: 1, cwd: '/w', env: {}, answerPath: '/s/subagents/c-1.md', handoverPath: '/s/subagents/c-1.handover' }

test('pi is its own child: same program, same extensions, sessions elsewhere, no word of the prompt', async () => {
  expect(await piAgent(options()).plan(request)).toEqual({
    kind: 'child', command: 'node', cwd: '/w', env: {}, stdio: ['pipe', 'pipe', 'pipe'],
    args: ['cli.js', '--mode', 'json', '--session-dir', '/s/subagents/c-1.session', '--extension', '/e/index.ts', '--model', 'p/m', '--rlm=1', '--rlm-child=/s/subagents/c-1.handover'],
  })
  expect((await piAgent(options({ discovers: () => false, trusted: () => false })).plan(request)).args).toEqual(expect.arrayContaining(['--no-extensions', '--no-approve']))
})

test('without a name a child of pi runs on the model of its parent, and without any it is refused', async () => {
  expect(await piAgent(options()).model?.(undefined)).toEqual({ model: 'p/m' })
  expect(await piAgent(options({ model: () => undefined })).model?.(undefined)).toEqual({ refused: expect.stringContaining('no model') as string })
  expect(await piAgent(options()).model?.('q/x')).toEqual({ refused: expect.stringContaining('Nearest: p/m') as string })
})
