import { describe, expect, it } from 'vitest'
import { siteStart } from '../../../guest/cell/call-site.ts'
import { explainMessage, explainWith, noteShellNames } from '../../../guest/cell/explain.ts'
import { isJavaScript, parseCell } from '../../../guest/cell/parse.ts'
import { cleanMessage } from '../../../guest/cell/private-names.ts'
import { readSource } from '../../../guest/cell/source.ts'
import { describeStack } from '../../../guest/cell/stack.ts'
import { CellSyntaxError } from '../../../guest/cell/syntax-error.ts'
import { Namespace } from '../../../guest/namespace.ts'
import { isPlain } from '../../../plugins/ts-strip/guest/plain.ts'

const read = (source: string): string => readSource({ id: 'a', number: 1, source })

describe('a cell as it was sent', () => {
  it.each([
    ['```ts\na\n```', '\na\n'],
    ['\n```\nb\n```\n', '\n\nb\n\n'],
    ['#!/usr/bin/env node\nc', '\nc'],
    ['\uFEFFd', 'd'],
    ['`not a fence`', '`not a fence`'],
  ])('is code at the same places: %j', (source, code) => {
    const text = read(source)
    expect(text).toHaveLength(source.length)
    expect(text.replace(/^ +| +(?=\n|$)/gm, '')).toBe(code)
  })

  it('is an object when the whole of it is one, and a block otherwise', () => {
    expect(parseCell('{ a: 1 }').code).toBe('({ a: 1 }\n)')
    expect(parseCell('{ a: 1; }').code).toBe('{ a: 1; }')
  })

  it.each(['a < b', 'f(a < b, c)', 'for (let i = 0; i < n; i++) f(i > 1)', 'x => x', '"a@b"'])('is JavaScript that needs no compiler: %s', source => {
    expect(isPlain(source)).toBe(true)
  })

  it.each(['let a: number', 'make<string>("x")', '@d class A {}', 'class A { accessor b = 1 }', 'enum A {}'])('needs the compiler: %s', source => {
    expect(isPlain(source)).toBe(false)
  })

  it('may return at its top level in any place a statement can stand', () => {
    for (const source of ['return', 'return 1', 'if (a) return\nelse return b', 'for (;;) { return /* c */ }', 'try { return x => x } finally {}']) expect(isJavaScript(source)).toBe(true)
    expect(isJavaScript('const a = return 1')).toBe(false)
  })
})

describe('an error of a cell', () => {
  it('shows the line and a caret', () => {
    const { message, line, column } = new CellSyntaxError('No', 'a\n  b c', 6)
    expect(message).toBe('No (2:5)\n  2 |   b c\n    |     ^')
    expect([line, column]).toEqual([2, 5])
  })

  it('shows a part of a long line around the place', () => {
    const { message } = new CellSyntaxError('No', `${'x'.repeat(500)}!${'y'.repeat(500)}`, 500)
    const [, shown = '', caret = ''] = message.split('\n')
    expect(shown[caret.indexOf('^')]).toBe('!')
    expect(shown.length).toBeLessThan(200)
  })

  it('speaks of names as they were written', () => {
    expect(cleanMessage('(0 , ºa.v) is not a function')).toBe('a is not a function')
    expect(cleanMessage('undefined is not an object (evaluating \'ºa.v.b\')')).toBe('undefined is not an object (evaluating \'a.b\')')
    expect(cleanMessage('(!ºMath.bound && Math || ºMath.v) is not iterable')).toBe('Math is not iterable')
  })

  it('points out a likely typo and a variable of the shell', () => {
    const namespace = new Namespace()
    namespace.box('counter').v = 1
    explainWith(namespace)
    noteShellNames(['HOME'])
    expect(explainMessage('ReferenceError', 'countr is not defined')).toBe('countr is not defined. Did you mean counter?')
    expect(explainMessage('ReferenceError', 'farAway is not defined')).toBe('farAway is not defined')
    expect(explainMessage('ReferenceError', 'HOME is not defined')).toContain('${process.env.HOME}')
    expect(explainMessage('TypeError', 'countr is not defined')).toBe('countr is not defined')
  })

  it.each([null, undefined, 1, Symbol('s'), Object.create(null), { stack: 1 }, { get stack(): string { throw new Error('no') } }])('has no frames when it has no stack that can be read', thrown => {
    expect(describeStack(thrown)).toEqual([])
  })

  it('has frames of cells alone', () => {
    const stack = 'Error: x\n    at f (cell 9001:2:3)\n    at Script.run (node:vm:1:1)\n    at async cell 9001:4:5\n    at º01 (cell 9001:1:1)'
    expect(describeStack({ stack })).toEqual(['at f (cell 9001:2:3)', 'at async cell 9001:4:5', 'at cell 9001:1:1'])
  })

  it.each([
    ['a.b.c(1)', 5, false, 4], ['new A.B(1)', 7, false, 0], ['await f(1)', 7, true, 0], ['await f(1)', 7, false, 6], ['x?.y', 1, false, 3], ['f (1)', 2, false, 0], ['[1](2)', 3, false, 3],
  ])('is placed at the start of %s', (text, offset, awaited, start) => {
    expect(siteStart(text, offset, awaited)).toBe(start)
  })
})
