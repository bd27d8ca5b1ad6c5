import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { splitCells } from '../../presets/cli/cells.ts'
import { readFileSync } from 'node:fs'
import { temporaryFolder } from '../support/folder.ts'
import { cli, jsonLines, ROOT } from './support/cli.ts'

const TOUR = join(ROOT, 'test/examples/tour.ts')

function program(text: string, name = 'program.ts'): string {
  const file = join(temporaryFolder(), name)
  writeFileSync(file, text)
  return file
}

describe.each(['default', 'node'])('a program on preset %s', preset => {
  test('of more than twenty cells reads files, runs a shell, awaits timers, fetches, and prints what a person wants to read', async () => {
    expect(splitCells(readFileSync(TOUR, 'utf8')).length).toBeGreaterThanOrEqual(20)
    const { code, stdout, stderr } = await cli(['run', '--preset', preset, TOUR])
    expect(stderr).toBe('')
    for (const text of ['\'Hello, reader!\'', 'pi-rlm depends on', 'engine.ts', '\'waited\'', 'one two three done', '[ 200, \'/lengths?top=3\', true ]', 'Map(1) { \'a\' => 1 }', '␛[2J', 'The tour is over.']) expect(stdout).toContain(text)
    expect(stdout).not.toContain('false')
    expect(code).toBe(0)
  })
})

describe('run', () => {
  test('ends with 1 at the first cell that fails, and names it by file, line and title', async () => {
    const file = program('console.log("a")\n// %% Second\nlet kept = 1\nthrow new Error("no")\n// %%\nconsole.log("never")\n')
    const { code, stdout, stderr } = await cli(['run', file])
    expect([code, stdout]).toEqual([1, 'a\n'])
    expect(stderr).toMatch(/Error: no\n {4}at program\.ts:4:\d+\n/)
    expect(stderr).toContain(`cell 2 of 3 in ${file} failed (line 3, Second)`)
  })
  test('tells a syntax error by the line of the file', async () => {
    const { code, stderr } = await cli(['run', program('1\n// %%\n\nlet = = 2\n')])
    expect([code, stderr]).toEqual([1, expect.stringContaining('4 | let = = 2')])
  })
  test('runs all files in one notebook, in their order', async () => {
    const [first, second] = [program('let a = 1'), program('a + 1\n// %%\na + 2')]
    expect(await cli(['run', first, second])).toMatchObject({ code: 0, stdout: '2\n3\n' })
  })
  test('reads standard input as the file -', async () => {
    expect(await cli(['run', '-'], '1\n// %%\n2')).toMatchObject({ code: 0, stdout: '1\n2\n' })
  })
  test('gives programs one line of JSON a cell', async () => {
    const file = program('console.log("x"); ({ n: 1 })\n// %%\nthrow new Error("no")')
    const { code, stdout } = await cli(['run', '--json', file])
    expect(jsonLines(stdout)).toMatchObject([{ file, line: 1, status: 'ok', stdout: 'x\n', value: { n: 1 } }, { file, line: 3, status: 'error', error: { message: 'no' } }])
    expect(code).toBe(1)
  })
  test('keeps what it made, and finds it again', async () => {
    const state = join(temporaryFolder(), 'state')
    expect(await cli(['run', '--snapshot', state, program('let list = [1, 2]\n// %%\nlist.push(3)')])).toMatchObject({ code: 0 })
    expect(await cli(['run', '--snapshot', state, program('list')])).toMatchObject({ code: 0, stdout: '[ 1, 2, 3 ]\n', stderr: '' })
  })
})
