import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bench, op, scriptedAgent } from './subagents/support/fake-host.ts'
import { answerOf, finished } from './subagents/support/lives.ts'

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
