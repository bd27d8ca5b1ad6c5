import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { signature, typeText } from '../../kernel/signature.ts'

test('a signature names the fields, their types and which may be left out', () => {
  const schema = Type.Object({ path: Type.String(), offset: Type.Optional(Type.Integer()), tags: Type.Array(Type.String()) })
  expect(signature('read', schema)).toBe('read({ path: string, offset?: number, tags: string[] })')
})

test('a method without arguments has an empty signature', () => {
  expect(signature('models', Type.Object({}))).toBe('models()')
  expect(signature('any', Type.Record(Type.String(), Type.Number()))).toMatch(/^any\(/)
})

test.each([
  [Type.Union([Type.Literal('a'), Type.Literal('it\'s')]), '\'a\' | \'it\\\'s\''],
  [{ type: 'string', enum: ['x', 'y'] }, '\'x\' | \'y\''],
  [Type.Array(Type.Union([Type.Literal(1), Type.Literal(2)])), '(1 | 2)[]'],
  [Type.Array(Type.Object({ oldText: Type.String(), kind: Type.Union([Type.Literal('a'), Type.Null()]) })), '{ oldText: string, kind: \'a\' | null }[]'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
  [{ allOf: [{ type: 'object', properties: { 'a-b': { type: 'boolean' } } }] }, '{ \'a-b\'?: boolean }'],
  [{}, 'unknown'],
  [{ anyOf: Array.from({ length: 20 }, (_, n) => ({ const: n })) }, '0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | …'],
])('a schema reads as TypeScript: %#', (schema, text) => { expect(typeText(schema)).toBe(text) })

test('deep objects are cut, so that one tool does not fill the prompt', () => {
  let schema: object = { type: 'string' }
  for (let depth = 0; depth < 10; depth++) schema = { type: 'object', properties: { a: schema } }
  expect(signature('deep', schema)).toBe('deep({ a?: { a?: { a?: {…} } } })')
})
