import { expect, test } from 'vitest'
import { reachOf } from '../../presets/pi/surface.ts'

test('the words of a cell name the tools it may call, so that pi waits for the servers that have them', () => {
  expect(reachOf('const { text } = await tools.mcp__docs__search({ query })')).toEqual(['const', 'text', 'await', 'tools', 'mcp__docs__search', 'query'])
  expect(reachOf('')).toEqual([])
})

test.each(['await rlm.tools({ query: "search" })', 'await tools[name]({})', 'Object.keys(tools)', 'const { read } = tools'])('a cell that looks tools up may call any: %s', code => { expect(reachOf(code)).toBe('all') })
test.each(['await tools.read({ path })', 'await tools?.read?.({ path })', 'tools\n  .ls({})', 'const toolset = rlm.names'])('a cell that names its tools waits for no other: %s', code => { expect(reachOf(code)).not.toBe('all') })
