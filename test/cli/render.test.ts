import { describe, expect, test } from 'vitest'
import type { CellResult } from '../../kernel/index.ts'
import { plain } from '../../presets/cli/plain.ts'
import { printable } from '../../presets/cli/show.ts'
import { renderBytes, renderEnd, renderError, renderRestore } from '../../presets/cli/render.ts'

const cell = (fields: Partial<CellResult>): CellResult => ({ cell: { id: 'c', number: 1 }, status: 'ok', stdout: '', stderr: '', durationMs: 1, images: [], notices: [], late: [], ...fields })

describe('text of a cell for a person', () => {
  test.each([
    ['keeps text, tabs and line ends', 'a\tb\nü 漢 👍\n', 'a\tb\nü 漢 👍\n'],
    ['shows an escape sequence instead of obeying it', '\u001b[31mred\u001b]0;title\u0007', '␛[31mred␛]0;title␇'],
    ['shows what would delete or ring', 'a\bb\u007f\u0000', 'a␈b␡␀'],
    ['shows a one-byte escape sequence', '\u009b2J', '<U+009B>2J'],
    ['shows marks that turn text around', 'abc\u202egnp.exe', 'abc<U+202E>gnp.exe'],
    ['reads line ends of Windows as line ends', 'a\r\nb\r\r\n', 'a\nb\n'],
    ['shows a return to the line start, which would hide text', 'real\rfake', 'real␍fake'],
  ])('%s', (_, given, shown) => { expect(plain(given)).toBe(shown) })
})

describe('the end of a cell', () => {
  test.each<[string, Partial<CellResult>, { out?: string; err?: string }]>([
    ['prints the result on stdout', { result: '42' }, { out: '42\n' }],
    ['prints nothing for undefined', {}, {}],
    ['prints an empty string as its text', { result: '\'\'' }, { out: '\'\'\n' }],
    ['prints an error with its stack on stderr', { status: 'error', error: { name: 'RangeError', message: 'too far', stack: ['at boom (cell 1:3:9)'] } }, { err: 'RangeError: too far\n    at boom (cell 1:3:9)\n' }],
    ['says that a cell was cancelled', { status: 'aborted' }, { err: 'The cell was cancelled; what it had bound stays.\n' }],
    ['prints notices before the error', { status: 'error', notices: ['restarted\nafter a crash'], error: { name: 'E', message: '', stack: [] } }, { err: '* restarted\n  after a crash\nE\n' }],
    ['prints what an earlier cell said late under its id', { late: [{ cell: 'a', channel: 'stdout', text: 'tick\n' }] }, { err: '* Said late by cell a on stdout:\ntick\n' }],
    ['neutralises results, errors, notices and late text', { status: 'error', result: '\u001b', notices: ['\u001b'], late: [{ cell: '\u001b', channel: 'stderr', text: '\u001b' }], error: { name: '\u001b', message: '\u001b', stack: ['\u001b'] } }, { out: '␛\n', err: '* Said late by cell ␛ on stderr:\n␛\n* ␛\n␛: ␛\n    ␛\n' }],
  ])('%s', (_, fields, { out = '', err = '' }) => { expect(renderEnd(cell(fields))).toEqual({ out, err }) })

  test('says nothing of a cancelled cell that its guest still runs', () => {
    expect(renderEnd(cell({ status: 'aborted' }), { stuck: true })).toEqual({ out: '', err: '' })
  })

  test('names the code of an error unless it is its name', () => {
    expect(renderError({ name: 'Error', message: 'no', stack: [], code: 'ENOENT' })).toBe('Error [ENOENT]: no')
    expect(renderError({ name: 'ENOENT', message: 'no', stack: [], code: 'ENOENT' })).toBe('ENOENT: no')
  })

  test('shows causes one below the other, and stops at a chain without end', () => {
    expect(renderError({ name: 'A', message: '1', stack: ['at x'], cause: { name: 'B', message: '2', stack: ['at y'] } })).toBe('A: 1\n    at x\nCaused by B: 2\n    at y')
    const endless: { name: string; message: string; stack: string[]; cause?: unknown } = { name: 'A', message: '', stack: [] }
    endless.cause = endless
    expect(renderError(endless as never).split('\n')).toHaveLength(9)
  })

  test('tells places as the caller wants them', () => {
    expect(renderError({ name: 'A', message: '', stack: ['at f (cell 3:1:2)'] }, line => line.replace('cell 3', 'tour.ts'))).toBe('A\n    at f (tour.ts:1:2)')
  })
})

test('a program is told a duration with three decimals, whatever else its cell says', () => {
  expect(printable(cell({ durationMs: 24.75342599999999, value: { durationMs: 0.12345 } }))).toMatchObject({ durationMs: 24.753, value: { durationMs: 0.12345 } })
})

test('sizes are told in units a person reads', () => {
  expect([0, 999, 1_000, 1_234_567, 5e9].map(renderBytes)).toEqual(['0 bytes', '999 bytes', '1.0 KB', '1.2 MB', '5.0 GB'])
})

test('a restore is told in a line', () => {
  const report = { generation: 3, savedAt: 0, restored: ['a'], deferred: [], held: [], failed: [], lost: [], notes: [] }
  expect(renderRestore(null)).toBe('')
  expect(renderRestore(report)).toBe('1 name came back from generation 3')
  expect(renderRestore({ ...report, deferred: ['b'] })).toBe('2 names came back from generation 3 (1 loaded when first read)')
})
