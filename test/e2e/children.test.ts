import { expect } from 'vitest'
import { SETUPS, VERSIONS } from './harness/installations.ts'
import { EXTENSION } from './harness/pi.ts'
import { scene } from './harness/scene.ts'
import { cell, type Conversation, type ModelRequest } from './harness/script.ts'

const RLM = ['--rlm=1', '-e', EXTENSION]

/** A parent that goes by its cells and then answers, and children that compute one sum each in a notebook of their own. */
const family = (cells: readonly string[]): Conversation[] => {
  const child = (request: ModelRequest) => request.toolResults.length === 0 ? cell('const sum = 20 + 22; sum') : `The sum is ${request.toolResults.at(-1)?.text ?? '?'}`
  const parent = (request: ModelRequest) => {
    const done = request.messages.filter(message => message.role === 'tool').length
    const code = cells[done]
    return code === undefined ? `Done after ${request.messages.filter(message => message.role === 'user').length} messages.` : cell(code)
  }
  return [{ name: 'child', match: 'compute the sum', turns: child }, { name: 'parent', turns: parent }]
}

for (const { version, guest } of SETUPS) {
  scene(version, 'a child agent is pi itself, one level down, with a notebook of its own', family([
    'const h = await rlm.run("Please compute the sum.", { name: "adder" }); const sum = "mine"; h.status',
    '[await h.text(), sum]',
    '(await rlm.listSubagents()).map(({ name, status, depth }) => [name, status, depth])',
  ]), { guest }, async ({ pi, model }) => {
    expect(await pi.print([...RLM, 'delegate'])).toMatchObject({ code: 0, stderr: '' })
    const parent = model.requests.filter(request => !request.prompt.includes('compute the sum'))
    const child = model.requests.filter(request => request.prompt.includes('compute the sum'))
    expect(parent.at(-1)?.toolResults[1]?.text).toBe('[ \'The sum is 42\', \'mine\' ]')
    expect(parent.at(-1)?.toolResults[2]?.text).toBe('[ [ \'adder\', \'completed\', 1 ] ]')
    expect(child[0]?.tools).toEqual(['execute'])
    expect(child[0]?.system).toContain('Depth: 1 of 2 (you are a child agent')
    expect(parent[0]?.system).toContain('Depth: 0 of 2')
    for (const { system } of model.requests) expect(system).toContain(`(guest: ${guest})`)
  })
}

for (const version of VERSIONS) {
  scene(version, 'print mode waits for children the model did not wait for, and lets it read them', family([
    'await rlm.run("Please compute the sum.", { name: "adder" }); 1',
  ]), {}, async ({ pi, model }) => {
    expect(await pi.print([...RLM, 'delegate'])).toMatchObject({ code: 0, stdout: 'Done after 2 messages.\n', stderr: '' })
    expect(model.requests.at(-1)?.lastPrompt).toMatch(/adder: completed, 13 bytes in/)
  })
}
