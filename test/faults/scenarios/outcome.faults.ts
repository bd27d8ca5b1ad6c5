import { expect } from 'vitest'
import { type Scenarios, stillWorks } from '../fault.ts'

export default {
  async 'FO-01'({ engine }) {
    const notebook = engine()
    const forged = await notebook.execute(`
      const stringify = JSON.stringify
      JSON.stringify = value => stringify(value && typeof value === 'object' && /threw|done/.test(value.type) ? { ...value, type: 'done', shown: '"invented"' } : value)
      throw new Error('the real one')`)
    expect(forged).toMatchObject({ status: 'error', error: { message: 'the real one' } })
    expect(forged).not.toHaveProperty('result')
    await stillWorks(notebook)
  },

  async 'FO-02'({ engine }) {
    const tricks = [
      'Promise.prototype.then = function (ok) { ok("fulfilled"); return this }',
      'Object.defineProperty(Promise.prototype, "constructor", { value: class { constructor(run) { run(() => {}, () => {}) } }, configurable: true, writable: true })',
      'Object.defineProperty(Promise, Symbol.species, { get() { return class { constructor(run) { run(() => {}, () => {}) } } }, configurable: true })',
      'Promise.resolve = () => ({ then(ok) { ok("fulfilled") } }); Promise.reject = Promise.resolve',
      'Object.defineProperty(Object.prototype, "then", { get() { return ok => ok("fulfilled") }, configurable: true })',
    ]
    for (const trick of tricks) {
      const notebook = engine()
      expect(await notebook.execute(`${trick}; throw new Error('real')`), trick).toMatchObject({ status: 'error', error: { message: 'real' } })
      expect(await notebook.execute('throw new Error("later")'), trick).toMatchObject({ status: 'error', error: { message: 'later' } })
      expect(await notebook.execute('({ own: 1 })'), trick).toMatchObject({ status: 'ok', result: '{ own: 1 }' })
    }
  },

  async 'FO-03'({ engine }) {
    const notebook = engine()
    await notebook.execute('let kept = "before"; let wrote = "nothing"')
    const stop = new AbortController()
    const running = notebook.execute(`
      const revive = value => { try { if (value && typeof value === 'object' && 'state' in value) value.state = 'running' } catch {} }
      for (const prototype of [Map.prototype, Set.prototype, Array.prototype, WeakMap.prototype]) {
        for (const name of ['get', 'has', 'set', 'add', 'push', 'forEach', 'indexOf', 'includes']) {
          const native = prototype[name]
          if (native) prototype[name] = function (...args) { args.forEach?.call; for (const each of args) revive(each); const found = Reflect.apply(native, this, args); revive(found); return found }
        }
      }
      try { await new Promise(r => setTimeout(r, 400)); kept = 'after' } catch (error) { globalThis.refusal = error.message }`, { signal: stop.signal })
    setTimeout(() => { stop.abort() }, 100)
    expect((await running).status).toBe('aborted')
    expect(await notebook.execute('await new Promise(r => setTimeout(r, 600)); kept')).toMatchObject({ status: 'ok', result: '\'before\'' })
    expect((await notebook.execute('refusal')).result).toContain('was cancelled')
  },
} satisfies Scenarios
