import { describe, expect, it } from 'vitest'
import { runInCell, type CellContext } from '../../../guest/context.ts'
import { Namespace, UNSET } from '../../../guest/namespace.ts'

const cell = (state: CellContext['state']): CellContext => ({ id: 'a', number: 1, source: '', signal: new AbortController().signal, state, print: () => {} })

function watched() {
  const space = new Namespace()
  const touched: string[] = []
  space.onTouch = box => { touched.push(box.name) }
  return { space, box: space.box('a'), touched }
}

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
    const { space, box, touched } = watched()
    const value = { b: 1 }
    box.v = value
    box.v = value
    expect([touched, box.touched]).toEqual([['a'], 1])
    box.touched = 0
    expect([box.value, box.v, box.touched, touched]).toEqual([value, value, 1, ['a', 'a']])
    space.look()
    expect(touched).toEqual(['a', 'a'])
  })

  it.each([1, 1.5, true, 'text'])('that holds %j has no accessor in between, and a look finds what was written', value => {
    const { space, box, touched } = watched()
    box.v = value
    expect(Object.getOwnPropertyDescriptor(box, 'v')).toEqual({ value, writable: true, enumerable: true, configurable: true })
    box.touched = 0
    space.look()
    expect([box.touched, touched]).toEqual([0, ['a']])
    box.v = -1
    space.look()
    space.look()
    expect([box.v, box.value, box.bound, box.typeOf(), box.touched, touched]).toEqual([-1, -1, true, 'number', 1, ['a', 'a']])
  })

  it('that held a number and now holds an object is touched by reads again', () => {
    const { space, box, touched } = watched()
    box.v = 1
    box.touched = 0
    box.v = { b: 1 }
    space.look()
    expect([box.touched, touched, Object.hasOwn(box, 'v')]).toEqual([1, ['a', 'a'], false])
    box.touched = 0
    expect([box.v, box.touched, touched]).toEqual([{ b: 1 }, 1, ['a', 'a', 'a']])
    box.v = undefined
    expect([box.bound, box.v]).toEqual([true, undefined])
  })

  it('that holds a number is touched by a cell that names it', () => {
    const { box, touched } = watched()
    box.v = 1
    box.named()
    expect(touched).toEqual(['a'])
    box.touched = 0
    box.named()
    expect([box.touched, touched]).toEqual([1, ['a', 'a']])
  })

  it('that holds a number can be forgotten, replaced by the store, and refuses writes of cancelled cells', () => {
    const space = new Namespace()
    const box = space.box('a', true)
    box.v = 1
    space.guarded = true
    expect(() => runInCell(cell('aborted'), () => { box.v = 2 })).toThrow(/cancelled/)
    expect([box.v, space.forget('a'), box.bound]).toEqual([1, true, false])
    expect(() => box.v).toThrow(ReferenceError)
    const other = new Namespace().box('a', true)
    other.v = 1
    other.value = UNSET
    other.unread = { load: () => 2 }
    expect([other.bound, other.v, other.unread]).toEqual([true, 2, null])
  })

  it('keeps its value through any number of changes between numbers and objects', () => {
    const { space, box, touched } = watched()
    for (let i = 0; i < 40; i++) {
      box.touched = 0
      box.v = i % 2 === 0 ? i : [i]
      space.look()
      expect([box.v, box.touched, touched.length]).toEqual([i % 2 === 0 ? i : [i], 1, i + 1])
    }
  })

  it('is closed when many others were opened after it', () => {
    const space = new Namespace()
    for (let i = 0; i < 300; i++) space.box(`a${i}`).v = i
    space.look()
    space.look()
    const open = [...space.boxes.values()].filter(box => Object.hasOwn(box, 'v'))
    expect([open.length, open[0]?.name, space.box('a0').v, space.box('a299').v]).toEqual([256, 'a44', 0, 299])
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
