import { expect, test } from 'vitest'
import type { CellResult } from '../../kernel/result.ts'
import { sectionsIn, showResult } from '../../presets/pi/shown.ts'

const result = (given: Partial<CellResult>): CellResult => ({
  cell: { id: 'c', number: 3 }, status: 'ok', stdout: '', stderr: '', durationMs: 5, images: [], notices: [], late: [], ...given,
})

test('a result alone is shown bare', () => {
  expect(showResult(result({ result: '42' })).text).toBe('42')
  expect(showResult(result({ stdout: 'hello\n' })).text).toBe('hello\n')
  expect(showResult(result({})).text).toBe('(no output)')
})

test('a notice leads, and each kind of output is told apart', () => {
  const { text } = showResult(result({ notices: ['The notebook was reset.'], stdout: 'out', stderr: 'warn\n', result: '{ a: 1 }', late: [{ cell: 'call_1', channel: 'stdout', text: 'tick\n' }] }))
  expect(text).toBe('Notice: The notebook was reset.\n[printed later by an earlier cell (call_1)]\ntick\nout\n[stderr]\nwarn\n[result]\n{ a: 1 }')
})

test('an error shows its name, message, the cell\'s own lines and its causes', () => {
  const error = { name: 'TypeError', message: 'x is not a function', stack: ['at f (cell 3:1:5)'], cause: { name: 'Error', message: 'inner', stack: [] } }
  expect(showResult(result({ status: 'error', stdout: 'a\n', error })).text).toBe('a\nTypeError: x is not a function\n    at f (cell 3:1:5)\n  caused by Error: inner')
})

test('a result that was cut is marked for the view', () => {
  expect(showResult(result({ stdout: 'a', cut: { stdout: { total: 9 } } })).details.cut).toBe(true)
  expect(showResult(result({ stdout: 'a' })).details).not.toHaveProperty('cut')
})

test('a cancelled cell says so', () => {
  expect(showResult(result({ status: 'aborted', stdout: 'half\n' })).text).toBe('half\nCancelled. Names bound before that are kept.')
})

test('the view finds each section again in the text', () => {
  const shown = showResult(result({ notices: ['n'], stdout: '\u001b[31mred\u001b[0m\n', stderr: 'e', result: '[result]\n', status: 'error', error: { name: 'E', message: 'm', stack: [] } }))
  expect(sectionsIn(shown.text, shown.details)).toEqual([
    { kind: 'notice', text: 'Notice: n' }, { kind: 'stdout', text: 'red\n' }, { kind: 'stderr', text: 'e' }, { kind: 'result', text: '[result]\n' }, { kind: 'error', text: 'E: m' },
  ])
  expect(JSON.stringify(shown.details).length).toBeLessThan(300)
})
