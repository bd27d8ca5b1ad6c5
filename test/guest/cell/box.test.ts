import { describe, expect, it } from 'vitest'
import { runInCell, type CellContext } from '../../../guest/context.ts'
import { Namespace, UNSET } from '../../../guest/namespace.ts'

const cell = (state: CellContext['state']): CellContext => ({ id: 'a', number: 1, source: '', signal: new AbortController().signal, state, print: () => {} })

describe('a name of the notebook', () => {
  it('has no value until one is bound, and none after it was forgotten', () => {
    const space = new Namespace()
    const box = space.box('a')
    expect(box.value).toBe(UNSET)
    expect(() => box.v).toThrow(new ReferenceError('a is not defined'))
    box.v = undefined
    expect([box.bound, box.v, box.typeOf()]).toEqual([true, undefined, 'undefined'])
    expect(space.forget('a')).toBe(true)
    expect(() => box.v).toThrow(ReferenceError)
  })

  it('is touched by reads and writes, once until the store takes note', () => {
    const space = new Namespace()
    const touched: string[] = []
    space.onTouch = box => { touched.push(box.name) }
    const box = space.box('a')
    box.v = 1
    box.v = 2
    expect([touched, box.touched]).toEqual([['a'], 1])
    box.touched = 0
    expect([box.value, box.v, box.touched, touched]).toEqual([2, 2, 1, ['a', 'a']])
  })

  it('that begins as a number is touched by writes, and by reads of anything else', () => {
    const box = new Namespace().box('a', true)
    expect(() => box.v).toThrow(ReferenceError)
    box.v = 1.5
    box.touched = 0
    expect([box.v, box.touched]).toEqual([1.5, 0])
    box.v = 2
    expect([box.v, box.value, box.touched]).toEqual([2, 2, 1])
    box.v = { b: 1 }
    box.touched = 0
    expect([box.v, box.touched]).toEqual([{ b: 1 }, 1])
    box.v = undefined
    expect([box.bound, box.v]).toEqual([true, undefined])
  })

  it('that begins as a number can be forgotten, and refuses writes of cancelled cells', () => {
    const space = new Namespace()
    const box = space.box('a', true)
    box.v = 1
    space.guarded = true
    expect(() => runInCell(cell('aborted'), () => { box.v = 2 })).toThrow(/cancelled/)
    expect([box.v, space.forget('a'), box.bound]).toEqual([1, true, false])
    expect(() => box.v).toThrow(ReferenceError)
  })

  it('loads what is unread at its first read', () => {
    const box = new Namespace().box('a')
    let loads = 0
    box.unread = { load: () => ++loads }
    expect([box.bound, loads, box.v, box.v, loads]).toEqual([true, 0, 1, 1, 1])
  })

  it('cannot be written by a cancelled cell, also when it was touched before', () => {
    const space = new Namespace()
    const box = space.box('a')
    box.v = 1
    space.guarded = true
    expect(() => runInCell(cell('aborted'), () => { box.v = 2 })).toThrow(/cancelled/)
    expect(box.v).toBe(1)
    runInCell(cell('running'), () => { box.v = 3 })
    expect(box.v).toBe(3)
    expect(() => runInCell(cell('aborted'), () => { box.v = 4 })).toThrow(/cancelled/)
  })

  it('shadows a global as long as it is bound', () => {
    const space = new Namespace()
    const box = space.box('parseInt')
    expect(box.v).toBe(parseInt)
    box.v = 1
    expect(box.v).toBe(1)
    space.forget('parseInt')
    expect(box.v).toBe(parseInt)
  })
})
