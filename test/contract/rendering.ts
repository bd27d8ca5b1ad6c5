import { expect } from 'vitest'
import type { ContractCase } from './case.ts'

/** Values with the text that every guest shows of them. */
const SHOWN: readonly (readonly [code: string, text: string])[] = [
  ['new Headers({ a: "1" })', 'Headers { a: \'1\' }'],
  ['new Blob(["x"])', 'Blob { size: 1, type: \'\' }'],
  ['new AbortController()', 'AbortController { signal: AbortSignal { aborted: false } }'],
  ['new Response("x", { status: 201 }).status', '201'],
  ['[new Headers({ b: "2" })]', '[ Headers { b: \'2\' } ]'],
  ['new Map([["k", new Set([1, "2"])]])', 'Map(1) { \'k\' => Set(2) { 1, \'2\' } }'],
  ['({ f() {}, g: class A {}, s: Symbol("x"), d: new Date(0), r: /a/gi })', '{ f: [Function: f], g: [class A], s: Symbol(x), d: 1970-01-01T00:00:00.000Z, r: /a/gi }'],
  ['[-0, 0n, NaN, undefined, null]', '[ -0, 0n, NaN, undefined, null ]'],
  ['[1, , 3]', '[ 1, <1 empty item>, 3 ]'],
  ['Promise.reject(1).catch(() => {}) && [Promise.resolve(2)]', '[ Promise { 2 } ]'],
  ['Buffer.from("hi")', '<Buffer 68 69>'],
  ['new URL("http://a/b").href', '\'http://a/b\''],
  ['({ get a() { return 1 }, set b(v) {} })', '{ a: [Getter], b: [Setter] }'],
]

const cases: readonly ContractCase[] = [
  {
    title: 'shows values as they are after a cell replaced what shows them, whether or not that was its first cell',
    why: 'the engine keeps the originals before the first code of anyone runs, and a literal is none',
    needs: [],
    async run({ engine }) {
      const replace = `
        for (const [holder, key] of [[Array.prototype, 'map'], [Array.prototype, 'slice'], [Array.prototype, 'join'], [String.prototype, 'slice'], [Symbol, 'for']])
          holder[key] = () => { throw new Error('replaced') }
        Object.defineProperty(Object, 'keys', { value: () => { throw new Error('frozen') }, configurable: false, writable: false })`
      for (const before of [['-0', '1 + 1', '`a`', 'true'], []]) {
        const notebook = engine()
        for (const code of before) await notebook.execute(code)
        await notebook.execute(replace)
        expect((await notebook.execute('({ list: [1, { b: 2 }], text: "x" })')).result).toBe('{ list: [ 1, { b: 2 } ], text: \'x\' }')
      }
    },
  },
  {
    title: 'shows the same text for the same value on every guest',
    why: 'a model that reads results must not learn two dialects',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      for (const [code, text] of SHOWN) expect((await notebook.execute(`(${code})`)).result, code).toBe(text)
    },
  },
]
export default cases
