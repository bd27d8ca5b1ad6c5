import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { installedTools } from '../../plugins/pi-tools/installed.ts'
import { matching } from '../../plugins/pi-tools/search.ts'
import { extensionsIn } from '../../presets/pi/child-agent.ts'
import { loadPreset } from '../../presets/load/preset.ts'
import { MARK, stateOfBranch } from '../../presets/pi/marks.ts'
import { viewOf } from '../../presets/pi/view/sight.ts'
import { temporaryFolder } from '../support/folder.ts'

test('a branch knows the state it came to, and whether cells ran since', () => {
  const mark = (generation: number): object => ({ type: 'custom', customType: MARK, data: { state: 's', generation } })
  const cell = { type: 'message', message: { role: 'toolResult', toolName: 'execute' } }
  expect(stateOfBranch([], 'execute')).toEqual({ mark: undefined, exact: true })
  expect(stateOfBranch([cell, mark(1), cell, mark(2)], 'execute')).toEqual({ mark: { state: 's', generation: 2 }, exact: true })
  expect(stateOfBranch([cell, mark(1), cell], 'execute')).toEqual({ mark: { state: 's', generation: 1 }, exact: false })
  expect(stateOfBranch([{ type: 'custom', customType: MARK, data: { state: '../../etc', generation: 1 } }], 'execute').mark).toBeUndefined()
})

test('a preset is found by its name or its file; otherwise the error says what there is', async () => {
  const folder = temporaryFolder()
  expect((await loadPreset('node', folder)).name).toBe('node')
  await expect(loadPreset('nod', folder)).rejects.toThrow(/unknown preset 'nod'\. Did you mean 'node'\? Known: bare, default, node, or the path of a file/)
  await expect(loadPreset('./none.mjs', folder)).rejects.toThrow(/preset '\.\/none\.mjs' does not exist/)
  writeFileSync(join(folder, 'empty.mjs'), 'export const other = 1')
  await expect(loadPreset('./empty.mjs', folder)).rejects.toThrow(/exports no preset/)
})

test('a notebook outside pi finds the tools of the pi that is installed', async () => {
  const source = await installedTools(temporaryFolder(), {})
  expect(source.list().map(tool => tool.name)).toEqual(['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'])
})

test('tools are found by the words of their name and description', () => {
  const tool = (name: string, description: string) => ({ name, description, parameters: { type: 'object' } as never })
  const tools = [tool('read', 'Reads a file'), tool('mcp__docs__find', 'Finds pages')]
  expect(matching(tools, 'docs pages').map(({ name }) => name)).toEqual(['mcp__docs__find'])
  expect(matching(tools, '')).toHaveLength(2)
})

test('a child gets the extensions that its parent was given', () => {
  expect(extensionsIn(['-e', 'a.ts', '--model', 'm', '--extension', 'b', '--extension=c', '-e'])).toEqual(['a.ts', 'b', 'c'])
})

test('the view shows a call at each stage of its life', () => {
  const progress = { code: 'x', argsComplete: false, started: false, partial: true, failed: false }
  expect(viewOf(undefined, progress).status).toBe('writing')
  expect(viewOf(undefined, { ...progress, argsComplete: true }).status).toBe('waiting')
  expect(viewOf({ content: [{ type: 'text', text: 'hi' }], details: {} }, { ...progress, argsComplete: true, started: true, elapsedMs: 5 })).toMatchObject({ status: 'running', sections: [], durationMs: 5 })
  const running = { running: true, lines: 2, sections: [{ kind: 'stdout', text: 'a\nb\n' }] }
  expect(viewOf({ content: [], details: running }, { ...progress, started: true })).toMatchObject({ status: 'running', linesOut: 2, sections: [{ text: 'a\nb\n' }] })
  const done = { ...progress, argsComplete: true, started: true, partial: false }
  expect(viewOf({ content: [{ type: 'text', text: 'oneCancelled.' }], details: { cell: 1, status: 'aborted', durationMs: 9, spans: [['stdout', 0, 3], ['error', 3, 13]] } }, done))
    .toMatchObject({ status: 'cancelled', durationMs: 9, sections: [{ kind: 'stdout', text: 'one' }, { kind: 'error', text: 'Cancelled.' }] })
  expect(viewOf({ content: [{ type: 'text', text: 'blocked by policy' }], details: {} }, { ...done, failed: true })).toMatchObject({ status: 'error', sections: [{ kind: 'error', text: 'blocked by policy' }] })
})
