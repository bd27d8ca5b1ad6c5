import { createBashToolDefinition, createEditToolDefinition, createFindToolDefinition, createGrepToolDefinition, createLsToolDefinition, createReadToolDefinition, createWriteToolDefinition } from '@mariozechner/pi-coding-agent'
import { expect, test } from 'vitest'
import { buildPrompt, firstSentence } from '../../presets/pi/prompt.ts'
import type { Listed, PromptParts } from '../../presets/pi/prompt-parts.ts'

const tools = [createReadToolDefinition, createBashToolDefinition, createEditToolDefinition, createWriteToolDefinition, createGrepToolDefinition, createFindToolDefinition, createLsToolDefinition]
  .map((make): Listed => { const { name, description, parameters } = make('/tmp'); return { handle: 'tools', name, description, params: parameters } })
const run: Listed = { handle: 'rlm', name: 'run', description: 'Starts a child agent.', params: { type: 'object', properties: { task: { type: 'string' } }, required: ['task'] } }
const full: PromptParts = {
  plugins: ['shell', 'memory', 'subagents', 'npm-cache', 'pi-tools'], runtime: 'bun', methods: [...tools, run],
  cwd: '/home/me/project', date: '2026-01-31', depth: 0, maxDepth: 2, agents: { run: true, ask: true },
}

/** Four characters a token is the usual estimate for English and code. */
const tokens = (text: string): number => Math.ceil(text.length / 4)

test('with pi\'s seven tools the prompt stays under 2,500 tokens', () => {
  const count = tokens(buildPrompt(full))
  expect(count).toBeGreaterThan(800)
  expect(count).toBeLessThan(2500)
})

test('the same parts give the same prompt, so that a provider can cache it', () => {
  expect(buildPrompt({ ...full })).toBe(buildPrompt(full))
  expect(buildPrompt(full)).not.toMatch(/\d\d:\d\d/)
})

test('every tool is listed with its signature, from the schema that checks its arguments', () => {
  const prompt = buildPrompt(full)
  expect(prompt).toContain('- tools.read({ path: string, offset?: number, limit?: number }): Read the contents of a file.')
  expect(prompt).toContain('- tools.edit({ path: string, edits: { oldText: string, newText: string }[] })')
  for (const { name } of tools) expect(prompt).toContain(`- tools.${name}({`)
})

test('nothing is named that the preset does not have', () => {
  const bare = buildPrompt({ ...full, plugins: [], methods: [], agents: { run: false, ask: false } })
  expect(bare).not.toMatch(/tools\.|rlm\.|Bun\.|npm:|Depth/)
  expect(buildPrompt({ ...full, plugins: ['pi-tools'], methods: tools, agents: { run: false, ask: false } })).not.toMatch(/rlm\.(?:run|names|forget)|Bun\.|npm:/)
  expect(buildPrompt({ ...full, depth: 2 })).not.toMatch(/rlm\.run|Delegate/)
  expect(buildPrompt({ ...full, methods: tools.slice(0, 1) })).not.toMatch(/tools\.(?:grep|bash|find)/)
})

test('project instructions, skills, the user\'s own prompt and additions are kept', () => {
  const prompt = buildPrompt({
    ...full, custom: 'You are a pirate.', additions: ['Always answer in French.'],
    contextFiles: [{ path: '/home/me/project/AGENTS.md', content: 'Use tabs.' }],
    skills: [{ name: 'pdf', description: 'Reads <PDF> files', filePath: '/skills/pdf/SKILL.md' }, { name: 'secret', description: 'x', filePath: '/s', disableModelInvocation: true }],
  })
  expect(prompt.startsWith('You are a pirate.')).toBe(true)
  expect(prompt).toContain('Always answer in French.')
  expect(prompt).toContain('<project_instructions path="/home/me/project/AGENTS.md">\nUse tabs.\n</project_instructions>')
  expect(prompt).toContain('<location>/skills/pdf/SKILL.md</location>')
  expect(prompt).toContain('Reads &lt;PDF&gt; files')
  expect(prompt).toContain('await tools.read({ path })')
  expect(prompt).not.toContain('<name>secret</name>')
  expect(prompt.trimEnd().endsWith('Current working directory: /home/me/project')).toBe(true)
})

test('hundreds of tools are named, not all described', () => {
  const many = Array.from({ length: 300 }, (_, n): Listed => ({ handle: 'tools', name: `mcp__server__tool_${n}`, description: 'Does something with a number of things. More.', params: { type: 'object', properties: { a: { type: 'string' } } } }))
  const prompt = buildPrompt({ ...full, methods: [...tools, ...many, run] })
  expect(tokens(prompt)).toBeLessThan(3000)
  expect(prompt).toMatch(/and \d+ others\. `await rlm\.tools\(\{ query \}\)`/)
})

test('the first sentence of a description ends at its full stop, not at a file name', () => {
  expect(firstSentence('Read a.txt or b.md files. Then more.')).toBe('Read a.txt or b.md files.')
  expect(firstSentence('No end')).toBe('No end')
  expect(firstSentence('x'.repeat(500))).toHaveLength(160)
})

test('a child agent is told that its last message is its answer', () => {
  expect(buildPrompt({ ...full, depth: 1 })).toContain('Depth: 1 of 2 (you are a child agent')
})
