import { expect } from 'vitest'
import { lateRound } from '../support/late-round.ts'
import { EXPECTED } from '../support/late-sources.ts'
import type { ContractCase } from './case.ts'

const cases: readonly ContractCase[] = [
  {
    title: 'gives late output of every kind to the cell that started it, and none to the cells that run meanwhile',
    why: 'a result that holds another cell\'s text is a lie the model builds on',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const { others, own } = await lateRound(notebook, 'origin')
      expect(others.slice(0, 3).map(({ stdout, stderr }) => stdout + stderr)).toEqual(['second\nsecond\n', 'third\nthird\n', 'fourth\nfourth\n'])
      expect(others.slice(3).map(({ stdout, stderr }) => stdout + stderr).join('')).toBe('')
      expect(own).toEqual(EXPECTED)
      expect(notebook.strays.unattributed).toBe(0)
    },
  },
  {
    title: 'tells a stray throw or rejection on the stderr of its own cell, once, and stays alive',
    why: 'one forgotten await must not cost the notebook',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const first = await notebook.execute(`
        const kept = 7
        const { EventEmitter } = await import('node:events')
        Promise.reject(new Error('floating'));
        (async () => { await null; throw new TypeError('in the background') })()
        setTimeout(() => { throw new Error('from a timer') }, 5)
        setTimeout(() => new EventEmitter().emit('error', new Error('nobody listens')), 5)
        queueMicrotask(() => { throw new Error('from a microtask') })
        setTimeout(() => { Promise.reject('a text') }, 5)
      `, { cellId: 'first' })
      const second = await notebook.execute('await new Promise(resolve => setTimeout(resolve, 100)); kept')
      const third = await notebook.execute('1')
      expect([first.status, second.status, second.result, second.stderr, third.stderr]).toEqual(['ok', 'ok', '7', '', ''])
      const told = first.stderr + [...second.late, ...third.late].map(({ cell, channel, text }) => cell === 'first' && channel === 'stderr' ? text : `wrong: ${text}`).join('')
      for (const message of ['floating', 'in the background', 'from a timer', 'nobody listens', 'from a microtask', 'a text']) expect(told.split(message).length - 1, message).toBe(1)
      expect(told).not.toContain('wrong')
      expect(notebook.strays.unattributed).toBe(0)
    },
  },
  {
    title: 'survives a cell that removes every listener of process',
    why: 'a library that cleans up too much must not make the next stray error deadly',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute('process.removeAllListeners(); const { EventEmitter } = await import("node:events"); EventEmitter.prototype.removeAllListeners.call(process)')
      const result = await notebook.execute('setTimeout(() => { throw new Error("stray") }, 1); Promise.reject(new Error("floating")); await new Promise(resolve => setTimeout(resolve, 50)); "alive"')
      expect(result).toMatchObject({ status: 'ok', result: '\'alive\'' })
      expect(result.stderr).toContain('stray')
      expect(result.stderr).toContain('floating')
    },
  },
  {
    title: 'keeps every stray rejection of a thousand, hostile ones included, off the other cells',
    why: 'a storm of failures in one cell says nothing about the next',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute(`
        const hostile = [null, undefined, Symbol('s'), 1n, Object.create(null), { toString() { throw 1 } }, Proxy.revocable({}, {}).proxy, 'text']
        for (let i = 0; i < 1000; i++) setTimeout(() => { Promise.reject(i % 10 === 0 ? hostile[(i / 10) % hostile.length] : new Error('late ' + i)) }, i % 50)
      `, { cellId: 'origin' })
      const results = []
      for (let i = 0; i < 3; i++) results.push(await notebook.execute('await new Promise(resolve => setTimeout(resolve, 60)); "fine"'))
      for (const result of results) expect(result).toMatchObject({ status: 'ok', result: '\'fine\'', stdout: '', stderr: '' })
      expect(new Set(results.flatMap(({ late }) => late.map(({ cell }) => cell)))).toEqual(new Set(['origin']))
    },
  },
]
export default cases
