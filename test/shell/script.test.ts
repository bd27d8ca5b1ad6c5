import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { dataFiles } from '../../plugins/shell/guest/redirect.ts'
import { withDescriptors } from '../../plugins/shell/guest/quote.ts'
import { scriptText } from '../../plugins/shell/guest/runner.ts'
import { checkValues } from '../../plugins/shell/guest/values.ts'

const script = (strings: TemplateStringsArray, ...values: readonly unknown[]): string => scriptText({ strings, values }, dataFiles())
const refuse = (strings: TemplateStringsArray, ...values: readonly unknown[]) => () => checkValues(strings, values)
const run = (text: string): string => execFileSync('/bin/sh', ['-c', text], { encoding: 'utf8' })

describe('a script', () => {
  const odd = '\'single\' "double" $HOME `date` \\n * ; # é\n!'

  test.each([
    ['outside quotes', script`printf %s ${odd}`, odd],
    ['beside text', script`printf %s a${odd}b`, `a${odd}b`],
    ['in double quotes', script`printf %s "<${odd}>"`, `<${odd}>`],
    ['in single quotes', script`printf %s '<${odd}>'`, `<${odd}>`],
    ['in a substitution within double quotes', script`printf %s "$(printf %s ${odd})"`, odd],
    ['in double quotes within a substitution within double quotes', script`printf %s "a $(printf %s "${odd}") b"`, `a ${odd} b`],
    ['behind an escaped quote', script`printf %s \"${odd}`, `"${odd}`],
    ['behind a comment with a quote', script`true # it's
      printf %s ${odd}`, odd],
    ['behind a hash that is no comment', script`printf %s a#'b'${odd}`, `a#b${odd}`],
    ['behind a subshell', script`(printf %s "(") ; printf %s ${odd}`, `(${odd}`],
    ['as a list', script`printf '[%s]' ${['a b', 'c', odd]}`, `[a b][c][${odd}]`],
    ['as an empty text', script`printf '[%s]' ${''} x`, '[][x]'],
    ['raw', script`printf '[%s]' ${{ raw: 'a b' }}`, '[a][b]'],
    ['that looks like an option', script`printf '%s %s' ${'-rf'} ${'--'}`, '-rf --'],
  ])('passes a value %s exactly', (_, text, expected) => {
    expect(run(text)).toBe(expected)
  })

  test('takes data only behind a redirection', () => {
    expect(() => script`echo ${new Uint8Array(2)}`).toThrow('interpolation 1 of the command is data')
    expect(() => script`cat < ${'name'} ${new Blob(['x'])}`).toThrow('interpolation 2 of the command is data')
    expect(script`cat < ${new Uint8Array(2)} > ${Buffer.alloc(3)}`).toMatch(/^cat < \/\S+ > \/\S+$/)
  })

  test.each([
    ['echo x >&2', 'echo x  1>&2'],
    ['echo x>&2; echo y 1>&2', 'echo x 1>&2; echo y 1>&2'],
    ['cmd > file 2>&1', 'cmd > file 2>&1'],
    ['echo "it\'s >&2" \'>&2\' \\>&2', 'echo "it\'s >&2" \'>&2\' \\>&2'],
    ['echo x &>&2', 'echo x &>&2'],
  ])('names the descriptor of %s for bun', (given, expected) => {
    expect(withDescriptors(given)).toBe(expected)
  })
})

describe('a value', () => {
  test.each([
    ['undefined', refuse`rm -rf ${undefined}/`, 'interpolation 1 of the command, after \'rm -rf \', is undefined'],
    ['null, by its number', refuse`a ${'b'} c ${null}`, 'interpolation 2 of the command, after \'c \', is null'],
    ['undefined in a list', refuse`a ${['x', undefined]}`, 'has an element 2 that is undefined'],
    ['a plain object', refuse`a ${{ b: 1 }}`, 'is an object without a text of its own'],
    ['a map', refuse`a ${new Map()}`, 'is an object without a text of its own'],
    ['a function', refuse`a ${() => 1}`, 'is a function'],
    ['a symbol', refuse`a ${Symbol('s')}`, 'is a symbol'],
    ['a NUL', refuse`a ${'b\0c'}`, 'contains a NUL character'],
  ])('that is %s is refused', (_, check, message) => {
    expect(check).toThrow(message)
  })

  test('that has a text is taken', () => {
    const values: unknown[] = ['', 'a', 0, NaN, 1n, true, new URL('http://a/b'), { toString: () => 'own' }, ['a', ['b']], { raw: '$x' }, new Uint8Array(1), new Blob([])]
    expect(checkValues(Object.assign([], { raw: [] }), values)).toEqual(values)
  })
})
