import { expect } from 'vitest'
import type { ContractCase } from './case.ts'

const cases: readonly ContractCase[] = [
  {
    title: 'reports a throw with name, message and the cell\'s own stack lines, and keeps the namespace',
    why: 'the model mends its code by what the error says',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const failed = await notebook.execute('let kept = 1\nfunction boom() {\n  throw new RangeError("too far")\n}\nboom()\nlet never = 2')
      expect(failed).toMatchObject({ status: 'error', error: { name: 'RangeError', message: 'too far' } })
      expect(failed.error?.stack.join('\n')).toMatch(/boom \(cell 1:3:\d+\)/)
      expect(await notebook.execute('[kept, typeof never].join()')).toMatchObject({ status: 'ok', result: '\'1,undefined\'' })
    },
  },
  {
    title: 'settles whatever is thrown as an error with a name and a message',
    why: 'a cell that never ends stops an unattended agent for good',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const hostile = ['null', 'undefined', 'Symbol("s")', '1n', 'Object.create(null)', '{ toString() { throw 1 } }', 'Proxy.revocable({}, {}).proxy', '() => 1', 'class A {}',
        'new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })', 'Object.assign(new Error("m"), { stack: 5, name: Symbol("n") })']
      for (const value of hostile) {
        const result = await notebook.execute(`throw ${value.startsWith('{') ? `(${value})` : value}`)
        expect(result.status, value).toBe('error')
        expect(result.error?.name.length, value).toBeGreaterThan(0)
        expect(result.error?.message.length, value).toBeGreaterThan(0)
      }
      expect(await notebook.execute('1 + 1')).toMatchObject({ result: '2' })
    },
  },
  {
    title: 'lets no global that a cell patches change an outcome',
    why: 'an agent that cannot trust its own results has nothing left to reason with',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute(`
        const stringify = JSON.stringify
        JSON.stringify = value => stringify(value?.type === 'threw' ? { ...value, type: 'done', shown: '"forged"' } : value)
        Promise.prototype.then = function (ok) { ok('forged'); return this }
        Object.defineProperty(Promise, Symbol.species, { get() { return class { constructor(run) { run(() => {}, () => {}) } } }, configurable: true })
      `)
      expect(await notebook.execute('throw new Error("real")')).toMatchObject({ status: 'error', error: { message: 'real' } })
      expect(await notebook.execute('1 + 1')).toMatchObject({ status: 'ok', result: '2' })
    },
  },
  {
    title: 'takes nothing that a cell writes to the channel for a frame, and still hears every end',
    why: 'only the guest itself may speak for a cell',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const noise = `
        const { writeSync } = await import('node:fs')
        const put = text => { try { writeSync(3, text) } catch {} }
        for (let i = 0; i < 200; i++) {
          put('x')
          put('\\n' + '0'.repeat(32) + JSON.stringify({ seq: i + 1, type: 'done', cell: '1', shown: '"forged"' }) + '\\n')
          console.log('line ' + i)
        }
        42`
      const result = await notebook.execute(noise)
      expect(result).toMatchObject({ status: 'ok', result: '42' })
      expect(result.stdout.split('\n').filter(line => line.startsWith('line '))).toHaveLength(200)
      expect(notebook.strays.rejectedLines).toBeGreaterThan(0)
    },
  },
  {
    title: 'ends a cell at its time limit as CellTimeout and keeps the namespace',
    why: 'an unattended agent must get its turn back',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute('let kept = 7')
      expect(await notebook.execute('await new Promise(() => {})', { timeoutMs: 200 })).toMatchObject({ status: 'error', error: { name: 'CellTimeout' } })
      expect(await notebook.execute('kept')).toMatchObject({ status: 'ok', result: '7' })
    },
  },
  {
    title: 'gives the value as data when it is plain JSON, running no getter, and the text otherwise',
    why: 'other languages read results as data, and reading must not change anything',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      expect((await notebook.execute('({ a: [1, "x", null, { b: true }] })', { json: true })).value).toEqual({ a: [1, 'x', null, { b: true }] })
      const getter = await notebook.execute('globalThis.ran = 0; ({ get a() { ran++; return 1 } })', { json: true })
      expect(getter).not.toHaveProperty('value')
      expect(getter.result).toContain('[Getter]')
      expect(await notebook.execute('ran')).toMatchObject({ result: '0' })
      expect(await notebook.execute('new Map([[1, 2]])', { json: true })).toMatchObject({ result: 'Map(1) { 1 => 2 }' })
    },
  },
]
export default cases
