import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Namespace } from '../../guest/namespace.ts'
import { transform } from './transform.ts'

const folder = new URL('./cases/', import.meta.url)
const names = readdirSync(folder).filter(name => name.endsWith('.cell.ts')).map(name => name.replace(/\.cell\.ts$/, '')).sort()
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8')
/** `UPDATE_CASES=1` writes the outputs anew; the difference is then read like any other. */
const update = process.env['UPDATE_CASES'] === '1'

function same(file: string, text: string): void {
  if (update) writeFileSync(new URL(file, folder), text)
  expect(text).toBe(read(file))
}

describe.each(names)('the text of a cell with %s', name => {
  const source = read(`${name}.cell.ts`)

  it('is rewritten to boxes as its file says', () => same(`${name}.boxes.js`, transform(source, { boxes: true })))

  it('is rewritten to names as its file says', () => same(`${name}.names.js`, transform(source, { boxes: false })))

  it('keeps every line where it is, unless it was compiled or put in parentheses', () => {
    if (name.startsWith('lowered-') || name === 'object-literal') return
    expect(transform(source, { boxes: true }).split('\n')).toHaveLength(source.split('\n').length)
  })
})

describe('the text of a cell', () => {
  it('is not touched where nothing needs to be', () => {
    expect(transform('for (let i = 0; i < 3; i++) { const f = () => i; f() }', { boxes: true })).toBe('for (let i = 0; i < 3; i++) { const f = () => i; f() }')
  })

  it('reads a global as such until a cell binds its name', () => {
    const namespace = new Namespace()
    expect(transform('Math.abs(x)', { boxes: true, namespace })).toContain('(!ºMath.bound && Math || ºMath.v).abs(ºx.v)')
    namespace.box('Math').v = 1
    expect(transform('Math.abs(x)', { boxes: true, namespace })).toContain('ºMath.v.abs(ºx.v)')
  })
})
