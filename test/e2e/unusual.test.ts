import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { VERSIONS } from './harness/installations.ts'
import { EXTENSION } from './harness/pi.ts'
import type { Rpc } from './harness/rpc.ts'
import { scene } from './harness/scene.ts'
import { byPrompt, cell, type Conversation, type ModelRequest } from './harness/script.ts'

const RLM = ['--rlm=1', '-e', EXTENSION]
const COSTLY = fileURLToPath(new URL('fixtures/costly.ts', import.meta.url))
/** More than the system takes as one argument of a program. */
const LONG = 'x'.repeat(140_000)

/** An agent that runs these cells, in a row of its own, whatever it is asked. */
const running = (cells: readonly string[]) => (request: ModelRequest) => {
  const code = cells[request.messages.filter(message => message.role === 'tool').length]
  return code === undefined ? 'Done.' : cell(code)
}

/** What pi counts of a session: tokens that went in, all in all. */
async function tokensIn(rpc: Rpc): Promise<number> {
  const { data } = await rpc.send('get_session_stats')
  return (data as unknown as { tokens: { input: number } }).tokens.input
}

for (const version of VERSIONS) {
  scene(version, 'a prompt or a task may begin with - or @, and be longer than an argument of a program', [
    { match: /^(?:-- task|@task|x+ task)/, turns: ({ prompt }) => `${prompt.length} ${prompt.slice(0, 3)}` },
    { turns: request => request.lastPrompt.startsWith('delegate') ? running([
      'const tasks = ["-- task", "@task", "x".repeat(140_000) + " task"]; const answers = await rlm.map(tasks, async task => (await rlm.run(task)).text()); answers.map(each => each.value ?? String(each.reason))',
    ])(request) : `${request.lastPrompt.length} ${request.lastPrompt.slice(0, 3)}.` },
  ], {}, async ({ pi, shown, model }) => {
    const rpc = pi.rpc(RLM)
    await rpc.prompt('delegate')
    expect(shown('delegate')).toEqual(['[ \'7 -- \', \'5 @ta\', \'140005 xxx\' ]'])
    for (const prompt of ['-p --version', '@nobody', LONG]) {
      await rpc.prompt(prompt)
      expect(model.requests.at(-1)?.lastPrompt).toBe(prompt)
    }
    expect(await rpc.close()).toBe(0)
    // A program that pipes its prompt in has no argument to be careful with.
    expect(await pi.print(RLM, '-- piped')).toMatchObject({ code: 0, stdout: '8 -- .\n', stderr: '' })
  })

  scene(version, 'after a compaction the model is told what the notebook still has', [
    { turns: request => request.lastPrompt === 'kept, please' ? running(['const kept = [1, 2]'])(request) : request.lastPrompt === 'look' ? running(['kept.length'])({ ...request, messages: request.messages.slice(request.messages.findLastIndex(message => message.role === 'user')) }) : 'A summary.' },
  ], { settings: { compaction: { keepRecentTokens: 1 } } }, async ({ pi, shown }) => {
    const rpc = pi.rpc(RLM)
    await rpc.prompt('kept, please')
    await rpc.prompt('and some talk')
    expect((await rpc.send('compact')).error).toBeUndefined()
    await rpc.prompt('look')
    expect(shown('look')[0]).toMatch(/^Notice: The conversation was compacted\. The notebook still has: kept \([^)]+\)\.\n2$/)
    expect(await rpc.close()).toBe(0)
  })

  scene(version, 'without a person a cell may take thirty minutes, with one as long as it likes', byPrompt({}), { needs: ['tmux'] }, async ({ pi }) => {
    const printed = await pi.print([...RLM, '/rlm status'])
    expect(printed.stderr).toContain('Time limit of a cell: 30m00s')
    const rpc = pi.rpc(RLM)
    await rpc.send('prompt', { message: '/rlm status' })
    await rpc.next(event => event.type === 'extension_ui_request' && JSON.stringify(event).includes('Time limit of a cell: 30m00s'), { from: 0 })
    expect(await rpc.close()).toBe(0)
    const tui = pi.tui(RLM)
    await tui.waitFor('scripted-model')
    await tui.submit('/rlm status')
    await tui.waitFor('Time limit of a cell: none')
    tui.keys('C-d')
    expect(await tui.exited()).toBe(0)
  })

  scene(version, 'print mode ends children that outlast the limit, and tells the model which', [
    { match: 'never ends', turns: [{ hang: true }] },
    { turns: request => request.lastPrompt === 'delegate' ? running(['await rlm.run("This never ends.", { name: "endless" }); 1'])(request) : 'I did not wait.' },
  ] satisfies Conversation[], { env: { PI_RLM_CELL_TIMEOUT_MS: '4000' } }, async ({ pi, model }) => {
    expect(await pi.print([...RLM, 'delegate'])).toMatchObject({ code: 0, stdout: 'I did not wait.\n', stderr: '' })
    expect(model.requests.at(-1)?.lastPrompt).toMatch(/- endless: error \(timeout\)[^]*Not finished in time, and stopped: .*endless/)
  })
}

scene('1.6', 'a plain model call answers a cell, and what it costs is counted once', [
  { match: 'Judge this', turns: ['It is good.'] },
  { turns: running(['await rlm.ask("Judge this.")', 'await tools.ponder({}); await tools.ponder({}); 1']) },
], {}, async ({ pi, shown, model }) => {
  const rpc = pi.rpc([...RLM, '-e', COSTLY])
  await rpc.prompt('go')
  expect(shown('go')).toEqual(['\'It is good.\'', '1'])
  expect(model.requests).toHaveLength(4)
  // Each of the four requests counts 100, each call of the tool 1000.
  expect(await tokensIn(rpc)).toBe(2400)
  expect(await rpc.close()).toBe(0)
})

scene('0.73', 'a plain model call is refused with what to do instead', byPrompt({ go: ['await rlm.ask("Judge this.")'] }), {}, async ({ pi, shown, model }) => {
  expect(await pi.print([...RLM, 'go'])).toMatchObject({ code: 0, stderr: '' })
  expect(shown('go')[0]).toMatch(/^SubagentError: this host offers no plain model calls \(pi 1\.6 does\)\. Use rlm\.run/)
  expect(model.requests[0]?.system).not.toContain('rlm.ask')
})
