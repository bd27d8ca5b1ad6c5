import { expect } from 'vitest'
import { pause } from '../../support/engine.ts'
import { type Scenarios, stillWorks } from '../fault.ts'

/** What a cell may do to the intrinsics, each in a notebook of its own. */
const HAVOC: readonly string[] = [
  'Array.prototype[Symbol.iterator] = function () { throw new Error("iterator") }',
  'Function.prototype.call = function () { throw new Error("call") }; Function.prototype.apply = Function.prototype.call; Function.prototype.bind = () => { throw 1 }',
  'Map.prototype.get = () => { throw new Error("get") }; Map.prototype.set = Map.prototype.get; globalThis.Map = null',
  'Promise.prototype.then = function () { throw new Error("then") }; Promise.resolve = () => { throw 1 }; globalThis.Promise = null',
  'RegExp.prototype.exec = () => { throw new Error("exec") }; RegExp.prototype[Symbol.replace] = () => "x"; String.prototype.replace = null',
  'for (const name of ["JSON", "Promise", "Buffer", "Error", "Map", "Reflect", "setTimeout", "process", "Object", "AbortController"]) delete globalThis[name]',
  'for (const key of Object.getOwnPropertyNames(Array.prototype)) try { delete Array.prototype[key] } catch {}',
  'for (const key of Object.getOwnPropertyNames(String.prototype)) try { delete String.prototype[key] } catch {}',
  'for (const key of Object.getOwnPropertyNames(Object)) if (key !== "prototype") try { delete Object[key] } catch {}',
  `for (const key of ['type', 'cell', 'seq', 'text', 'shown', 'ask', 'value', 'get', 'set', 'writable', 'error', 'name', 'message', 'stack', 'next', 'then', 'source', 'number', 'id', 'cut', 'fd'])
     Object.defineProperty(Object.prototype, key, { configurable: true, set() { throw new Error('set ' + key) }, get() { throw new Error('get ' + key) } })`,
  `for (const key of ['result', 'type', 'cell', 'text', 'shown', 'cut', 'total'])
     Object.defineProperty(Object.prototype, key, { set() { throw new Error('set ' + key) }, get() { return 'stolen' } })`,
  'Object.defineProperty(Array.prototype, "0", { configurable: true, set() { throw new Error("element") } })',
  'for (const each of [Object, Array, Function, Promise, Map, Set, Error, RegExp, String, JSON, Math, Reflect, console]) { Object.freeze(each); if (each.prototype) Object.freeze(each.prototype) }',
  'try { Object.freeze(globalThis) } catch {}',
  'process.removeAllListeners(); process.on = () => process; process.emit = () => { throw 1 }; process.exit = () => {}; process.stdout.write = () => true',
  'Uint8Array.prototype.subarray = () => { throw 1 }; TextDecoder.prototype.decode = () => "x"; TextEncoder.prototype.encodeInto = () => ({ written: 0 }); globalThis.TextDecoder = null',
  'const hooks = await import("node:async_hooks"); hooks.AsyncLocalStorage.prototype.run = () => { throw 1 }; hooks.AsyncLocalStorage.prototype.getStore = () => { throw 2 }',
  `const [fs, util, vm, module] = await Promise.all(['fs', 'util', 'vm', 'module'].map(name => import('node:' + name)))
   fs.default.writeSync = fs.default.read = () => { throw 1 }; util.default.inspect = () => 'FORGED'; util.default.formatWithOptions = () => 'FORGED'; vm.default.Script = null; module.syncBuiltinESMExports()`,
  'Object.defineProperty = () => { throw 1 }; Reflect.defineProperty = () => { throw 1 }; Reflect.apply = () => { throw 2 }; Reflect.ownKeys = () => []',
  'WeakMap.prototype.get = () => { throw 1 }; WeakMap.prototype.set = WeakMap.prototype.get; Set.prototype.has = () => true; String.prototype.replaceAll = null; Number.prototype.toString = null',
  'globalThis.setTimeout = (() => 0); globalThis.setImmediate = setTimeout; Date.now = () => 0; Math.random = () => 0; performance.now = () => 0; globalThis.tools = null; globalThis.rlm = null',
]

export default {
  async 'NS-05'({ engine }) {
    const proxy = 'Object.setPrototypeOf(globalThis, new Proxy({}, { has() { throw 1 }, get() { throw 2 }, getOwnPropertyDescriptor() { throw 3 } }))'
    const deeds = [
      'Number.prototype.toString = Number.isInteger = Math.min = Math.max = Math.floor = Date.now = performance.now = () => { throw new Error("replaced") }',
      'globalThis.process = undefined; globalThis.Buffer = undefined', proxy, `setTimeout(() => { ${proxy} }, 1); await new Promise(done => setTimeout(done, 50))`, `setTimeout(() => { ${proxy} }, 30)`,
    ]
    for (const deed of deeds) {
      const notebook = engine()
      expect(await notebook.execute(`${deed}; 1`), deed).toMatchObject({ status: 'ok' })
      await pause(60)
      expect(await notebook.execute('const typed: number = 1; console.log(typed, { a: [1.5] }); typed + 1'), deed).toMatchObject({ status: 'ok', stdout: '1 { a: [ 1.5 ] }\n', result: '2' })
      expect(await notebook.execute('throw new RangeError("own")'), deed).toMatchObject({ status: 'error', error: { name: 'RangeError', message: 'own' } })
      await stillWorks(notebook)
    }
  },

  async 'NS-01'({ engine }) {
    const notebook = engine()
    expect(await notebook.execute('undeclaredName')).toMatchObject({ status: 'error', error: { name: 'ReferenceError', message: expect.stringContaining('undeclaredName') as string } })
    expect(await notebook.execute('typeof undeclaredName')).toMatchObject({ status: 'ok', result: '\'undefined\'' })
    for (const call of ['undeclaredName?.()', 'undeclaredName?.x', 'undeclaredName()']) expect(await notebook.execute(call), call).toMatchObject({ status: 'error', error: { name: 'ReferenceError' } })
    expect(await notebook.execute('function late() { return defined } ; let defined = 1; late()')).toMatchObject({ result: '1' })
  },

  async 'NS-02'({ engine }) {
    const notebook = engine()
    expect(await notebook.execute('const early = hoisted(); function hoisted() { return "up" }; early')).toMatchObject({ result: '\'up\'' })
    // Cells are read as module code, where a second declaration is an error.
    expect(await notebook.execute('function twice() {}; function twice() {}')).toMatchObject({ status: 'error', error: { name: 'SyntaxError' } })
    expect((await notebook.execute('{ function inBlock() { return 1 } }; typeof inBlock')).status).toBe('ok')
    expect(['ok', 'error']).toContain((await notebook.execute('new Later(); class Later {}')).status)
    expect(await notebook.execute('let { a = 1, ...rest } = { b: 2 }; let [x, , y = 5] = [1, 2]; [a, rest.b, x, y].join()')).toMatchObject({ result: '\'1,2,1,5\'' })
    for (const name of ['__proto__', 'constructor', 'eval', 'arguments', 'undefined', 'NaN', 'hasOwnProperty', 'toString']) {
      const declared = await notebook.execute(`var ${name} = 5`)
      const read = await notebook.execute(`typeof ${name}`)
      expect(read.status, name).toBe('ok')
      if (declared.status === 'error') expect(declared.error?.message, name).not.toBe('')
      await stillWorks(notebook)
    }
    const using = await notebook.execute('let closed = 0; { using thing = { [Symbol.dispose ?? Symbol.for("x")]() { closed++ } } } closed')
    expect(['ok', 'error']).toContain(using.status)
    await stillWorks(notebook)
  },

  async 'NS-03'({ supervisor }) {
    for (const code of HAVOC) {
      const notebook = supervisor()
      expect((await notebook.execute(`${code}; 1`, { timeoutMs: 20_000 })).error?.name, code).not.toBe('CellTimeout')
      const seven = await notebook.execute('7 * 6', { timeoutMs: 20_000 })
      expect(seven, code).toMatchObject({ status: 'ok', result: '42' })
      const failed = await notebook.execute('function far() { throw "bad " + 1 }\nfar()', { timeoutMs: 20_000 })
      expect(failed, code).toMatchObject({ status: 'error', error: { message: 'bad 1' } })
      expect(await notebook.execute('console.log("said %d", 5); await null; ({ own: [1] })', { timeoutMs: 20_000 }), code).toMatchObject({ status: 'ok', result: '{ own: [ 1 ] }' })
      // The compiler is loaded now, with the globals as they are; once is slow enough to do it for a few only.
      if (/Map|Promise/.test(code) && !code.startsWith('for')) expect(await notebook.execute('type Row = { n: number }; const row: Row = { n: 3 }; row.n'), code).toMatchObject({ status: 'ok', result: '3' })
      expect(notebook.current, code).not.toBe(null)
      await notebook.dispose()
    }
    const notebook = supervisor()
    await notebook.execute('JSON.stringify = () => "hacked"')
    const offered = await notebook.execute('JSON.stringify({ a: 1 })')
    expect(offered).toMatchObject({ result: '\'hacked\'' })
    expect(offered.notices.join()).toMatch(/JSON\.stringify.*rlm\.resetGlobals/)
    expect((await notebook.execute('rlm.resetGlobals(); JSON.stringify({ a: 1 })')).result).toBe('\'{"a":1}\'')
    expect((await notebook.execute('1')).notices).toEqual([])
  },

  async 'NS-04'({ engine }) {
    const accessor = (holder: string, key: string): string => `Object.defineProperty(${holder}, '${key}', { get() { throw new Error('planted') }, configurable: true })`
    const typed = 'Object.getPrototypeOf(Uint8Array).prototype'
    for (const code of ['Reflect.set = () => { throw new Error("planted") }', accessor('Error', 'stackTraceLimit'), ...['length', 'byteLength', 'slice'].map(key => accessor(typed, key))]) {
      const notebook = engine()
      expect(await notebook.execute(`${code}; 5`, { timeoutMs: 20_000 }), code).toMatchObject({ status: 'ok', result: '5' })
      expect(await notebook.execute('1 + 1', { timeoutMs: 20_000 }), code).toMatchObject({ status: 'ok', result: '2' })
      expect(await notebook.execute('console.log([1]); throw new Error("real")', { timeoutMs: 20_000 }), code).toMatchObject({ status: 'error', stdout: '[ 1 ]\n', error: { message: 'real' } })
      await notebook.dispose()
    }
  },
} satisfies Scenarios
