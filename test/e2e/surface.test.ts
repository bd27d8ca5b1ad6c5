import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ROOT, VERSIONS } from './harness/installations.ts'
import { EXTENSION, ISOLATION, type Pi } from './harness/pi.ts'
import { scene } from './harness/scene.ts'
import { byPrompt, type ModelRequest } from './harness/script.ts'

const RLM = ['--rlm=1', '-e', EXTENSION]
const tokens = (text: string): number => Math.ceil(text.length / 4)
const withoutDate = (text: string): string => text.replace(/\d{4}-\d{2}-\d{2}/g, 'DATE')

/** What the model has in a request: prompt and tools. */
const surfaceOf = (request: ModelRequest | undefined): unknown => ({ system: withoutDate(request?.system ?? ''), tools: request?.body.tools })

for (const version of VERSIONS) {
  scene(version, 'without the flag a session is just as it is without the extension', byPrompt({ plain: [], loaded: [] }), {}, async ({ pi, model }) => {
    await pi.print(['plain'])
    await pi.print(['-e', EXTENSION, 'loaded'])
    expect(surfaceOf(model.requests[1])).toEqual(surfaceOf(model.requests[0]))
    expect(readdirSync(pi.work)).toEqual([])
  })

  scene(version, 'a session that used the notebook and is continued without it has pi\'s own tools and prompt again', byPrompt({ plain: [], go: ['1'], on: [], off: [] }), {}, async ({ pi, model }) => {
    await pi.print(['--no-session', 'plain'])
    await pi.print([...RLM, 'go'])
    await pi.print(['--continue', '-e', EXTENSION, 'on'])
    await pi.print(['--continue', 'off'])
    const [plain, , , on, off] = model.requests
    expect(plain?.tools).toContain('read')
    expect(surfaceOf(on)).toEqual(surfaceOf(plain))
    expect(surfaceOf(off)).toEqual(surfaceOf(plain))
  })

  scene(version, 'PI_RLM_FORCE=1 is as good as the flag, and no shell under it sees any variable of ours', byPrompt({
    go: ['Object.keys(process.env).filter(name => name.startsWith("PI_RLM"))', '(await Bun.$`env`.text()).includes("PI_RLM")', '(await tools.bash({ command: "env" })).text.includes("PI_RLM_")'],
  }), { env: { PI_RLM_FORCE: '1', PI_RLM_MAX_DEPTH: '1' } }, async ({ pi, model, shown }) => {
    expect(await pi.print(['-e', EXTENSION, 'go'])).toMatchObject({ code: 0, stderr: '' })
    expect(model.requests[0]?.tools).toEqual(['execute'])
    expect(shown('go')).toEqual(['[]', 'false', 'false'])
  })

  scene(version, 'the prompt is short, stays the same from turn to turn, and keeps AGENTS.md and skills', byPrompt({ one: ['1'], two: ['2'] }), { flags: ISOLATION.filter(flag => !/skills|context/.test(flag)) }, async ({ pi, model }) => {
    writeFileSync(join(pi.work, 'AGENTS.md'), 'Always use tabs.')
    const skill = join(pi.agentDir, 'skills/charts')
    mkdirSync(skill, { recursive: true })
    writeFileSync(join(skill, 'SKILL.md'), '---\nname: charts\ndescription: Draws charts from numbers.\n---\n# Charts\n')
    // Many models must not make it longer.
    const models = JSON.parse(readFileSync(join(pi.agentDir, 'models.json'), 'utf8')) as { providers: { scripted: { models: object[] } } }
    for (let n = 0; n < 300; n++) models.providers.scripted.models.push({ id: `model-number-${n}`, contextWindow: 1000, maxTokens: 100 })
    writeFileSync(join(pi.agentDir, 'models.json'), JSON.stringify(models))
    await pi.print([...RLM, 'one'])
    await pi.print(['--continue', ...RLM, 'two'])
    const prompts = model.requests.map(request => request.system)
    expect(new Set(prompts).size).toBe(1)
    const [prompt = ''] = prompts
    expect(tokens(prompt)).toBeLessThan(2500)
    expect(prompt).toContain('Always use tabs.')
    expect(prompt).toContain('<name>charts</name>')
    expect(prompt).toContain('await tools.read({ path })')
    expect(prompt).toContain(`Current working directory: ${pi.work}`)
    expect(prompt).not.toContain('model-number-')
    for (const name of ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls']) expect(prompt).toContain(`- tools.${name}({`)
  })

  scene(version, 'continuing a session whose names all came back adds nothing to the conversation', byPrompt({ go: ['const x = [1]'], again: ['x'] }), {}, async ({ pi, model, shown }) => {
    await pi.print([...RLM, 'go'])
    await pi.print(['--continue', ...RLM, 'again'])
    expect(shown('again')).toEqual(['[ 1 ]'])
    expect(model.requests[2]?.messages.map(message => message.role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
  })

  scene(version, 'PI_RLM_PRESET chooses another preset by name', byPrompt({ go: ['typeof process.versions.bun'] }), { env: { PI_RLM_PRESET: 'node' } }, async ({ pi, model, shown }) => {
    expect(await pi.print([...RLM, 'go'])).toMatchObject({ code: 0, stderr: '' })
    expect(shown('go')).toEqual(['\'undefined\''])
    expect(model.requests[0]?.system).toContain('(guest: node)')
  })

  scene(version, 'a setting that does not parse is an error that names it, for the user and the model', byPrompt({ go: ['1'] }), { env: { PI_RLM_CELL_TIMEOUT_MS: '30min' } }, async ({ pi, shown }) => {
    const run = await pi.print([...RLM, 'go'])
    expect(run.stderr).toContain('PI_RLM_CELL_TIMEOUT_MS=\'30min\' is not understood')
    expect(shown('go')[0]).toContain('PI_RLM_CELL_TIMEOUT_MS=\'30min\' is not understood')
  })

  scene(version, 'an unknown preset is an error that lists the known ones', byPrompt({ go: ['1'] }), { env: { PI_RLM_PRESET: 'nod' } }, async ({ pi, shown }) => {
    const run = await pi.print([...RLM, 'go'])
    expect(run.stderr).toMatch(/unknown preset 'nod'\. Did you mean 'node'\? Known: .*default/)
    expect(shown('go')[0]).toContain('unknown preset \'nod\'')
  })

  scene(version, 'a cell that nobody watches ends at its time limit, and the next one works', byPrompt({ go: ['const a = 1; await Bun.sleep(60_000)', 'a'] }), { env: { PI_RLM_CELL_TIMEOUT_MS: '400' } }, async ({ pi, shown }) => {
    expect(await pi.print([...RLM, 'go'])).toMatchObject({ code: 0, stderr: '' })
    expect(shown('go')[0]).toMatch(/^CellTimeout: .*400 ms/)
    expect(shown('go')[1]).toBe('1')
  })

  scene(version, 'a flood of output stays small for a client of pi, and pi lives', byPrompt({ go: ['for (let i = 0; i < 20_000; i++) console.log("line number", i)'], after: ['1'] }), {}, async ({ pi, shown }) => {
    const rpc = pi.rpc(RLM)
    await rpc.prompt('go')
    const updates = rpc.events.filter(event => event.type === 'tool_execution_update')
    for (const update of updates) expect(JSON.stringify(update).length).toBeLessThan(20_000)
    expect(rpc.received).toBeLessThan(2_000_000)
    await rpc.prompt('after')
    expect(shown('after')).toEqual(['1'])
    expect(await rpc.close()).toBe(0)
  })

  scene(version, 'a copy that was not built says so', byPrompt({ go: [] }), {}, async ({ pi }) => {
    const copy = unbuilt(pi)
    const run = await pi.print(['--rlm=1', '-e', copy, 'go'])
    expect(run.stderr).toMatch(/pi-rlm is not built: .*dist\/presets\/pi\/main\.js is missing\. Run `npm install`/)
  })
}

/** The sources without their compiled half. */
function unbuilt(pi: Pi): string {
  const copy = join(pi.root, 'unbuilt')
  for (const name of ['presets', 'package.json']) cpSync(join(ROOT, name), join(copy, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  return copy
}
