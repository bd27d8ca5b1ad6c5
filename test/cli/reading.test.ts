import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { splitCells } from '../../presets/cli/cells.ts'
import { readEnvironment } from '../../presets/cli/environment.ts'
import { type Line, readLines } from '../../presets/cli/exec/lines.ts'
import { readRequest } from '../../presets/cli/exec/request.ts'
import { firstPositional, NOTEBOOK_FLAGS, readFlags } from '../../presets/cli/flags.ts'
import { isIncomplete } from '../../presets/cli/repl/incomplete.ts'

describe('a file', () => {
  test('is split at its marks, and each cell keeps the lines of the file', () => {
    expect(splitCells('a\n// %% Second part\nb\nc\n  //%%\n\n// %%\nd')).toEqual([
      { code: 'a', line: 1, title: '' },
      { code: '\n\nb\nc', line: 3, title: 'Second part' },
      { code: '\n\n\n\n\n\n\nd', line: 8, title: '' },
    ])
  })
  test('without a mark is one cell, an empty one is none', () => {
    expect(splitCells('1\n2')).toHaveLength(1)
    expect(splitCells(' \n// %%\n\n')).toEqual([])
  })
  test('may begin with a byte order mark and a line for the shell', () => {
    expect(splitCells('\uFEFF#!/usr/bin/env -S pi-rlm run\r\n1\r\n')).toEqual([{ code: '\n1\n', line: 1, title: '' }])
  })
})

describe('flags', () => {
  const read = (...argv: string[]) => () => readFlags(argv, NOTEBOOK_FLAGS)
  test('are read before and behind the files', () => {
    const args = read('a.ts', '--preset=node', 'b.ts', '--json', '--', '--cwd')()
    expect([args.positionals, args.text('preset'), args.has('json'), args.text('cwd')]).toEqual([['a.ts', 'b.ts', '--cwd'], 'node', true, undefined])
  })
  test('that are unknown are named with the nearest', () => {
    expect(read('--prest', 'node')).toThrow(/unknown flag '--prest'. Did you mean '--preset'/)
    expect(read('-x')).toThrow(/unknown flag '-x'/)
  })
  test('lack no value, and take none they do not want', () => {
    expect(read('--preset')).toThrow(/--preset needs a value: --preset NAME\|FILE/)
    expect(read('--preset', '--json')).toThrow(/--preset needs a value/)
    expect(read('--cwd=')).toThrow(/--cwd needs a value/)
    expect(read('--json=yes')).toThrow(/--json takes no value, got 'yes'/)
  })
  test('are no commands, nor are their values', () => {
    expect(firstPositional(['--preset', 'node', 'run', 'x'], NOTEBOOK_FLAGS)).toBe(2)
    expect(firstPositional(['--json'], NOTEBOOK_FLAGS)).toBe(-1)
  })
})

describe('the environment', () => {
  test('sets no limit for a person and half an hour for a program', () => {
    expect(readEnvironment({}, true)).toEqual({ preset: undefined, cellTimeoutMs: null })
    expect(readEnvironment({ PI_RLM_PRESET: 'node' }, false)).toEqual({ preset: 'node', cellTimeoutMs: 1_800_000 })
    expect(readEnvironment({ PI_RLM_CELL_TIMEOUT_MS: '250' }, true).cellTimeoutMs).toBe(250)
    expect(readEnvironment({ PI_RLM_CELL_TIMEOUT_MS: '0' }, false).cellTimeoutMs).toBeNull()
  })
  test.each([
    ['PI_RLM_CELL_TIMEOUT_MS', '10s'], ['PI_RLM_CELL_TIMEOUT_MS', '-1'], ['PI_RLM_CELL_TIMEOUT_MS', '1e400'], ['PI_RLM_CELL_TIMEOUT_MS', '99999999999'],
    ['PI_RLM_MAX_DEPTH', 'two'], ['PI_RLM_FORCE', 'maybe'], ['PI_RLM_SUBAGENT_MODEL', ' '], ['PI_RLM_NPM_CACHE_DIR', ' '],
  ])('refuses %s=%s by name', (name, value) => {
    expect(() => readEnvironment({ [name]: value }, true)).toThrow(`${name} is '${value}'; it must be`)
  })
})

describe('a line of exec', () => {
  test('is a cell or an op', () => {
    expect(readRequest('{"id":1,"code":"x"}')).toEqual({ type: 'cell', id: 1, code: 'x', timeoutMs: null, json: false })
    expect(readRequest('{"id":"a","code":"","timeoutMs":5,"json":true}')).toEqual({ type: 'cell', id: 'a', code: '', timeoutMs: 5, json: true })
    expect(readRequest('{"id":2,"op":"names"}')).toEqual({ type: 'op', id: 2, op: 'names', generation: null })
    expect(readRequest('{"id":2,"op":"restore","generation":3}')).toEqual({ type: 'op', id: 2, op: 'restore', generation: 3 })
    expect(readRequest('{"id":2,"op":"abort","cell":1}')).toEqual({ type: 'abort', id: 2, cell: 1 })
  })
  test.each([
    ['nonsense', /not JSON/], ['[1]', /an object, got an array/], ['null', /got null/], ['7', /got a number/],
    ['{"code":"1"}', /'id' is missing/], ['{"id":{},"code":"1"}', /'id' must be/], ['{"id":1}', /needs 'code', or 'op'/], ['{"id":1,"code":"1","op":"names"}', /not both/],
    ['{"id":1,"code":5}', /'code' must be a string, got 5/], ['{"id":1,"code":"1","timeoutMs":0}', /'timeoutMs' must be/], ['{"id":1,"code":"1","timeoutMs":"5"}', /'timeoutMs' must be/],
    ['{"id":1,"code":"1","json":1}', /'json' must be/], ['{"id":1,"code":"1","timeoutms":5}', /unknown field 'timeoutms'. Did you mean 'timeoutMs'/],
    ['{"id":1,"op":"snapshoot"}', /unknown op "snapshoot". Did you mean 'snapshot'/], ['{"id":1,"op":"abort"}', /abort needs 'cell'/], ['{"id":1,"op":"names","cell":1}', /belongs to the op abort/],
    ['{"id":1,"op":"names","generation":1}', /belongs to the op restore/], ['{"id":1,"op":"restore","generation":-1}', /must be the number of one/],
  ])('%s is refused by what is wrong with it', (line, problem) => { expect(() => readRequest(line)).toThrow(problem) })
})

describe('lines of a stream', () => {
  const read = async (chunks: readonly (string | Buffer)[], cap?: number): Promise<Line[]> => {
    const lines: Line[] = []
    await readLines(Readable.from(chunks.map(chunk => Buffer.from(chunk))), line => { lines.push(line) }, () => Promise.resolve(), cap)
    return lines
  }
  test('are whole however they are cut, and the last one needs no end', async () => {
    const [snowman] = [Buffer.from('☃')]
    expect(await read(['a', 'b\n\nc', '\n', snowman.subarray(0, 1), snowman.subarray(1)])).toEqual([{ number: 1, text: 'ab' }, { number: 3, text: 'c' }, { number: 4, text: '☃' }])
  })
  test('that cannot be read cost only themselves', async () => {
    expect(await read([Buffer.from([0xff, 0x0a]), 'ok\n', 'x'.repeat(6), 'x'.repeat(6), '\nok\n'], 10)).toEqual([
      { number: 1, problem: 'the line is not text in UTF-8' }, { number: 2, text: 'ok' }, { number: 3, problem: 'the line is longer than 10 bytes' }, { number: 4, text: 'ok' },
    ])
  })
})

describe('a cell that is typed', () => {
  test.each(['function f() {', 'f(1,', 'const a = [', '`text', 'if (x)', 'x +', 'obj.', 'class A', 'type T = {', 'let x: Array<', 'async () => {', '/* open', '({ a: 1,', '<div>', 'interface A {', 'a ? b :', 'import { x } from'])('wants more after %j', async text => {
    expect(await isIncomplete(text)).toBe(true)
  })
  test.each(['', '1 + 1', 'const f = (x: number) => x', 'let x = }', '"open', 'a b', ')', '{ a: 1 }', 'function f() {\n}', '`a\nb`', 'f<T>(x)', 'return 1', 'await x', 'if (x) y', '// note', 'enum E { A }', '<div/>', '/(/'])('is whole at %j', async text => {
    expect(await isIncomplete(text)).toBe(false)
  })
})
