import { expect } from 'vitest'
import { pause, until } from '../../support/engine.ts'
import { type Scenarios, stillWorks } from '../fault.ts'

/** Waits for a process to be stopped by a signal, or not to be any more. */
const STOP_MS = 1_500

export default {
  async 'ST-01'({ engine }) {
    const notebook = engine()
    const hostile = ['null', 'undefined', 'Symbol()', '1n', 'Object.create(null)', '({ toString() { throw 1 } })', 'Proxy.revocable({}, {}).proxy', '(function () {})', '(class {})',
      'new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })', '(() => {})']
    for (const [i, value] of hostile.entries()) {
      // The last of these revokes the proxy for good before it is thrown.
      const code = value.startsWith('Proxy.revocable') ? 'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy' : `throw ${value}`
      const result = await notebook.execute(code, { timeoutMs: 10_000 })
      expect(result, `${i}: ${value}`).toMatchObject({ status: 'error' })
      expect(result.error?.name, value).not.toBe('CellTimeout')
      expect(result.error?.name, value).not.toBe('')
      expect(result.error?.message, value).not.toBe('')
      await stillWorks(notebook)
    }
  },

  async 'ST-02'({ engine }) {
    const notebook = engine()
    const errors = [
      'Object.assign(new Error("m"), { message: 7n })', 'Object.assign(new Error("m"), { message: Symbol("s") })', 'Object.assign(new Error("m"), { message: { a: 1 } })',
      'new Error("x".repeat(10_000_000))', 'Object.assign(new Error("m"), { stack: [1, 2] })', 'Object.assign(new Error("m"), { stack: 5 })',
      'Object.defineProperty(new Error("m"), "stack", { get() { throw 1 } })', '(() => { const a = new Error("a"), b = new Error("b", { cause: a }); a.cause = b; return a })()',
      'new AggregateError(Array.from({ length: 10_000 }, (_, i) => new Error("e" + i)), "many")', 'new Error("y".repeat(2 ** 29 - 100))',
    ]
    for (const error of errors) {
      const { status, error: told } = await notebook.execute(`throw ${error}`, { timeoutMs: 120_000 })
      expect(status, error).toBe('error')
      expect(told?.name, error).not.toBe('CellTimeout')
      expect(JSON.stringify(told).length, error).toBeLessThan(200_000)
      for (const field of [told?.name, told?.message]) expect(typeof field, error).toBe('string')
    }
    await stillWorks(notebook)
  },

  async 'ST-03'({ engine }) {
    const notebook = engine()
    for (const hook of ['(_, frames) => frames', '() => { throw new Error("in the hook") }', '() => null']) {
      expect(await notebook.execute(`Error.prepareStackTrace = ${hook}; 1`)).toMatchObject({ status: 'ok' })
      const failed = await notebook.execute('function far() { throw new TypeError("plain") }\nfar()')
      expect(failed).toMatchObject({ status: 'error', error: { name: 'TypeError', message: 'plain' } })
      expect(failed.error?.stack.every(line => line.includes('cell '))).toBe(true)
    }
    await stillWorks(notebook)
  },

  async 'ST-08'({ engine }) {
    const notebook = engine()
    const strays = 'Promise.reject(new Error("left")); setTimeout(() => { throw new Error("thrown") }, 1); await new Promise(done => setTimeout(done, 100))'
    const hooks = ['uncaughtException', 'unhandledRejection', 'uncaughtExceptionMonitor', 'rejectionHandled'].flatMap(event => [`process.on('${event}', () => { throw new Error('in the listener') })`, `process.once('${event}', () => { throw null })`])
    hooks.push('(await import("node:events")).EventEmitter.prototype.emit = () => { throw new Error("emit") }', 'process.setUncaughtExceptionCaptureCallback?.(() => { throw new Error("in the callback") })')
    for (const hook of hooks) {
      expect(await notebook.execute(`${hook}; 1`), hook).toMatchObject({ status: 'ok', result: '1' })
      const told = await notebook.execute(strays)
      expect(told, hook).toMatchObject({ status: 'ok', stderr: expect.stringContaining('Uncaught (in promise) Error: left') as string })
      if (!hook.includes('Callback')) expect(told.stderr, hook).toContain('Uncaught Error: thrown')
      await stillWorks(notebook)
    }
  },

  async 'ST-05'({ supervisor }) {
    const notebook = supervisor({ abortGraceMs: 200, pingTimeoutMs: 400 })
    const storms = ['const storm = () => process.nextTick(storm)', 'const storm = () => Promise.resolve().then(storm)', 'const storm = () => setImmediate(storm)']
    for (const storm of storms) {
      await stillWorks(notebook)
      expect(await notebook.execute(`${storm}; storm(); "left"`)).toMatchObject({ status: 'ok', result: '\'left\'' })
      const next = await notebook.execute('1 + 1', { signal: AbortSignal.timeout(400) })
      if (storm.includes('setImmediate')) expect(next).toMatchObject({ status: 'ok', result: '2' })
      else expect(next.status).toBe('aborted')
      await stillWorks(notebook)
    }
  },

  async 'ST-06'({ supervisor }) {
    const notebook = supervisor()
    const ends: readonly (readonly [string, string])[] = [
      ['process.exit(0)', 'exit code 0'], ['process.on("beforeExit", () => process.exit(9)); process.exit(3)', 'exit code 3'], ['process.abort()', 'SIGABRT'],
      ['process.kill(process.pid, "SIGKILL")', 'SIGKILL'], ['process.kill(process.pid, "SIGSEGV")', 'SIGSEGV'], ['process.reallyExit(4)', 'exit code 4'],
      ['setTimeout(() => process.exit(5), 10); await new Promise(() => {})', 'exit code 5'],
    ]
    for (const [code, how] of ends) {
      const died = notebook.execute(`console.log("before"); ${code}; await new Promise(() => {})`, { timeoutMs: 20_000 })
      await expect(died, code).rejects.toMatchObject({ code: 'GUEST_DIED', message: expect.stringContaining(how) as string, partial: { stdout: 'before\n' } })
      const next = await notebook.execute('1 + 1')
      expect(next).toMatchObject({ status: 'ok', result: '2' })
      expect(next.notices.filter(line => line.includes('restarted')), code).toHaveLength(1)
      expect((await notebook.execute('2')).notices, code).toEqual([])
    }
    expect(await notebook.execute('const deep = () => deep() + 1; deep()')).toMatchObject({ status: 'error', error: { name: 'RangeError' } })
    const pid = notebook.current?.guestPid as number
    process.kill(pid, 'SIGSTOP')
    const waiting = notebook.execute('const text = "kept through the stop"; console.log(text); text.length')
    await pause(STOP_MS)
    process.kill(pid, 'SIGCONT')
    expect(await waiting).toMatchObject({ status: 'ok', stdout: 'kept through the stop\n', result: '21' })
  },

  async 'ST-07'({ engine }) {
    const notebook = engine()
    const hostile = `
      const values = [undefined, null, Symbol('s'), Object.create(null), new Proxy({}, { get() { throw 1 } }), new Error('late')]
      for (let i = 0; i < 1000; i++) setTimeout(() => { Promise.reject(i % 7 === 6 ? i : values[i % 7]) }, 30)
      'ended'`
    const first = await notebook.execute(hostile, { cellId: 'rejecting' })
    expect(first).toMatchObject({ status: 'ok', result: '\'ended\'', stderr: '' })
    let told = 0
    await until('the rejections were told', async () => {
      const other = await notebook.execute('await new Promise(r => setTimeout(r, 20)); "other"', { cellId: 'other' })
      expect(other).toMatchObject({ status: 'ok', stdout: '', stderr: '', result: '\'other\'' })
      for (const late of other.late) {
        expect(late.cell).toBe('rejecting')
        told += late.text.length
      }
      return told > 5_000
    })
    await stillWorks(notebook)
  },
} satisfies Scenarios
