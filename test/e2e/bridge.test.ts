import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import { ROOT, SETUPS, VERSIONS } from './harness/installations.ts'
import { EXTENSION, ISOLATION } from './harness/pi.ts'
import { scene } from './harness/scene.ts'
import { byPrompt } from './harness/script.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))
const RLM = ['--rlm=1', '-e', EXTENSION]

for (const { version, guest } of SETUPS) {
  scene(version, 'each of pi\'s seven tools works in a cell', byPrompt({
    go: [
      'await tools.write({ path: "a/b.txt", content: "one\\ntwo\\n" }); (await tools.read({ path: "a/b.txt", offset: 2, limit: 1 })).raw',
      'const { details } = await tools.edit({ path: "a/b.txt", edits: [{ oldText: "two", newText: "2" }] }); typeof details.diff',
      '(await tools.bash({ command: "cat a/b.txt; pwd | wc -l" })).text.trim()',
      '(await tools.grep({ pattern: "one" })).text', '(await tools.find({ pattern: "*.txt" })).text', '(await tools.ls({ path: "a" })).text',
    ],
  }), { guest, needs: ['rg', 'fd'] }, async ({ pi, shown }) => {
    expect(await pi.print([...RLM, 'go'])).toMatchObject({ code: 0, stderr: '' })
    expect(shown('go')).toEqual(['\'two\'', '\'string\'', '\'one\\n2\\n1\'', '\'a/b.txt:1: one\'', '\'a/b.txt\'', '\'b.txt\''])
  })

  scene(version, 'cancelling a cell cancels the tool it waits for, and a tool call that comes too late is refused by name', byPrompt({
    wait: ['console.log("now"); await tools.bash({ command: "sleep 4242" })'],
    later: ['globalThis.late = new Promise(done => setTimeout(() => tools.ls({}).then(done, done), 200)); 1', 'String((await late).message)'],
  }), { guest }, async ({ pi, shown }) => {
    const rpc = pi.rpc(RLM)
    const from = rpc.events.length
    await rpc.send('prompt', { message: 'wait' })
    await rpc.next(event => event.type === 'tool_execution_update' && event.toolName === 'execute', { from: 0 })
    await rpc.send('abort')
    await rpc.settled(from)
    expect(pi.sh('pgrep -fx "sleep 4242" | wc -l').trim()).toBe('0')
    await rpc.prompt('later')
    expect(shown('later')[1]).toMatch(/tools\.ls: cell \d+ is over/)
    expect(await rpc.close()).toBe(0)
  })
}

for (const version of VERSIONS) {
  scene(version, 'a bridged command without a limit of its own ends at the default limit, which a preset can set, and the next cell works', byPrompt({
    go: ['await tools.bash({ command: "sleep 5" })', '1'],
  }), { env: { PI_RLM_PRESET: './short.mjs' } }, async ({ pi, shown }) => {
    writeFileSync(join(pi.work, 'short.mjs'), `
      import { preset as standard } from ${JSON.stringify(pathToFileURL(join(ROOT, 'dist/presets/default.js')).href)}
      export const preset = { ...standard, name: 'short', plugins: standard.plugins.map(plugin => plugin.name === 'pi-tools' ? plugin.with({ bashTimeoutSeconds: 1 }) : plugin) }
    `)
    expect(await pi.print([...RLM, 'go'])).toMatchObject({ code: 0, stderr: '' })
    expect(shown('go')[0]).toMatch(/timed out after 1 seconds/)
    expect(shown('go')[1]).toBe('1')
  })
}

scene('1.6', 'an extension that blocks bash blocks it inside cells, too', byPrompt({
  go: ['await tools.bash({ command: "touch forbidden" })', '(await tools.ls({})).text'],
}), {}, async ({ pi, shown }) => {
  expect(await pi.print([...RLM, '-e', fixture('deny-bash.ts'), 'go'])).toMatchObject({ code: 0, stderr: '' })
  expect(shown('go')[0]).toContain('shell commands are not allowed here')
  expect(shown('go')[1]).not.toContain('forbidden')
})

scene('1.6', 'tools of other extensions and of MCP servers can be called from a cell', byPrompt({
  go: ['(await tools.add({ a: 40, b: 2 })).text', '(await tools.mcp__shouter__shout({ text: "hey" })).text', 'await tools.add({ a: "x" })', '(await rlm.tools({ query: "louder" })).map(tool => tool.signature)'],
}), { flags: ISOLATION.filter(flag => flag !== '--no-extensions') }, async ({ pi, shown, model }) => {
  writeFileSync(join(pi.agentDir, 'mcp.json'), JSON.stringify({ mcpServers: { shouter: { command: process.execPath, args: [fixture('mcp-server.mjs')] } } }))
  expect(await pi.print([...RLM, '-e', fixture('add.ts'), 'go'])).toMatchObject({ code: 0, stderr: '' })
  expect(shown('go')[0]).toBe('\'42\'')
  expect(shown('go')[1]).toBe('\'HEY\'')
  expect(shown('go')[2]).toMatch(/tools\.add: .*Expected: tools\.add\(\{ a: number, b: number \}\)/)
  expect(shown('go')[3]).toBe('[ \'tools.mcp__shouter__shout({ text: string })\' ]')
  expect(model.requests[0]?.system).toContain('- tools.add({ a: number, b: number }): Adds two numbers')
  for (const request of model.requests) expect(request.tools).toEqual(['execute'])
})
