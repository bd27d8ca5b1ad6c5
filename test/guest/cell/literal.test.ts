import { describe, expect, it } from 'vitest'
import { isLiteral } from '../../../guest/cell/literal.ts'
import { parseCell } from '../../../guest/cell/parse.ts'

const literal = (text: string): boolean => isLiteral(parseCell(text).tree)

describe('a cell of literals and operators alone', () => {
  it.each(['', '1+1', '2 ** -2', ' "a" + 1;', '[1, , [2]]', '`a${1}`', 'const a = 1, b = "x"', 'let c', '1 ? /x/ : null'])('is one that can replace nothing: %s', text => {
    expect(literal(text)).toBe(true)
  })

  it.each(['a', 'f()', 'a.b = 1', 'new Map', '`${a}`', 'String.raw`x`', 'const { a } = 1', 'const [a] = [1]', '({ get a() { return 1 } })', '[...[1]]', 'await 1', 'import("x")', 'import "x"', 'a = 1', 'a++', 'delete a.b', 'function f() {}', 'class A {}', 'throw 1', 'for (;;);', '1, f()', 'return 1'])('is not one that reads a name or runs code: %s', text => {
    expect(literal(text)).toBe(false)
  })
})
