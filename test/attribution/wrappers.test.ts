import { describe, expect, test } from 'vitest'
import { selfTest } from '../../guest/attribution/self-test.ts'
import { preset as standard } from '../../presets/default.ts'
import { preset as node } from '../../presets/node.ts'
import { openEngine } from '../support/engine.ts'

const guests = [['bun', standard], ['node', node]] as const

/** Each line of a cell says `name: true` when the platform's own behaviour is still there. */
const facts = async (preset: typeof standard, cell: string): Promise<string[]> => {
  const engine = openEngine({ preset })
  const result = await engine.execute(`const facts = []; const fact = (name, holds) => facts.push(name + ': ' + holds)\n${cell}\nawait new Promise(resolve => setTimeout(resolve, 50)); facts`, { json: true })
  expect(result.error).toBeUndefined()
  return result.value as string[]
}

const EMITTERS = `
  const { EventEmitter, once, on } = await import('node:events')
  const emitter = new EventEmitter()
  const heard = []
  const hear = value => heard.push(value)
  emitter.on('a', hear).prependListener('a', value => heard.push('first ' + value))
  emitter.emit('a', 1)
  fact('order', heard.join() === 'first 1,1')
  fact('listeners are the originals', emitter.listeners('a')[1] === hear)
  emitter.off('a', hear); emitter.emit('a', 2)
  fact('off removes', heard.join() === 'first 1,1,first 2')
  emitter.once('b', hear); emitter.once('b', hear)
  fact('once is listed', emitter.listenerCount('b') === 2 && emitter.listeners('b')[0] === hear)
  emitter.removeListener('b', hear); emitter.emit('b', 'x'); emitter.emit('b', 'y')
  fact('once fires once', heard.at(-1) === 'x' && !heard.includes('y'))
  emitter.on('c', function () { fact('this', this === emitter) }); emitter.emit('c')
  setTimeout(() => emitter.emit('d', 4), 1)
  fact('events.once', (await once(emitter, 'd'))[0] === 4)
  let message = ''; try { emitter.on('e', 5) } catch (error) { message = error.code }
  fact('a listener must be a function', message === 'ERR_INVALID_ARG_TYPE')
  emitter.on('f', () => { throw new RangeError('own') }); let thrown; try { emitter.emit('f') } catch (error) { thrown = error }
  fact('a throw reaches emit', thrown?.message === 'own')
  const { AsyncLocalStorage } = await import('node:async_hooks'); const storage = new AsyncLocalStorage()
  emitter.on('g', () => fact('other async storage is the emitter\\'s', storage.getStore() === 7)); storage.run(7, () => emitter.emit('g'))`

const TARGETS = `
  const target = new EventTarget(); let calls = 0; const count = () => { calls++ }
  target.addEventListener('a', count); target.addEventListener('a', count); target.dispatchEvent(new Event('a'))
  fact('a listener is added once', calls === 1)
  target.removeEventListener('a', count); target.dispatchEvent(new Event('a'))
  fact('and removed', calls === 1)
  target.addEventListener('b', count, { once: true }); target.dispatchEvent(new Event('b')); target.dispatchEvent(new Event('b'))
  fact('once', calls === 2)
  target.addEventListener('c', { handleEvent(event) { fact('handleEvent', event.type === 'c' && this !== undefined) } }); target.dispatchEvent(new Event('c'))
  const stop = new AbortController(); target.addEventListener('d', count, { signal: stop.signal }); stop.abort(); target.dispatchEvent(new Event('d'))
  fact('signal', calls === 2)
  target.addEventListener('e', null)
  const { port1, port2 } = new MessageChannel(); const handler = ({ data }) => { fact('onmessage', data === 5); port1.close() }
  port2.onmessage = handler; fact('onmessage reads back', port2.onmessage === handler); port1.postMessage(5)
  const other = AbortSignal.timeout(5); other.onabort = () => fact('onabort', true)
  const registry = new FinalizationRegistry(() => {}); fact('class', registry instanceof FinalizationRegistry && registry.constructor === FinalizationRegistry && FinalizationRegistry.name === 'FinalizationRegistry')
  class Own extends FinalizationRegistry {}; fact('subclass', new Own(() => {}) instanceof Own)
  class Mine extends Promise {}; const rejected = Mine.reject(1); rejected.catch(() => {}); fact('Promise.reject', rejected instanceof Mine)
  fact('fetch', fetch.name === 'fetch')
  let code = ''; try { queueMicrotask(5) } catch (error) { code = error.name }; fact('queueMicrotask', code === 'TypeError')`

for (const [name, preset] of guests) {
  describe(`on ${name}`, () => {
    test.each([['emitters', EMITTERS, 10], ['event targets and callbacks', TARGETS, 13]])('%s behave as the platform\'s own', async (_, cell, count) => {
      const found = await facts(preset, cell)
      expect(found.filter(line => !line.endsWith(': true'))).toEqual([])
      expect(found).toHaveLength(count)
    })

    test('a cancelled cell\'s worker threads end', async () => {
      const engine = openEngine({ preset })
      await engine.execute('const { Worker: Thread } = await import("node:worker_threads"); const exits = []')
      const stop = new AbortController()
      const running = engine.execute('new Thread("setInterval(() => {}, 1000); console.log(1)", { eval: true }).on("exit", () => exits.push("gone")); await new Promise(() => {})', { signal: stop.signal, onStream: () => { stop.abort() } })
      expect((await running).status).toBe('aborted')
      expect(await engine.execute('while (exits.length === 0) await new Promise(resolve => setTimeout(resolve, 10)); exits', { json: true })).toMatchObject({ value: ['gone'] })
    })
  })
}

test('the console of a web worker belongs to the cell that made it', async () => {
  const engine = openEngine({ preset: standard })
  await engine.execute('const web = new Worker(URL.createObjectURL(new Blob(["onmessage = () => { console.log(\'said\'); console.error(\'cried\'); process.stdout.write(\'raw\'); postMessage(1) }"])))', { cellId: 'maker' })
  const result = await engine.execute('web.postMessage(1); await new Promise(resolve => { web.onmessage = resolve }); await new Promise(resolve => setTimeout(resolve, 100)); web.terminate(); console.log("mine")')
  expect(result.stdout).toBe('mine\n')
  const said = (of: string): string => result.late.filter(({ cell, channel }) => cell === 'maker' && channel === of).map(({ text }) => text).join('')
  expect([said('stdout'), said('stderr')]).toEqual(['said\nraw', 'cried\n'])
  expect(engine.strays).toMatchObject({ rawBytes: 0, unattributed: 0 })
})

describe('the self-test', () => {
  test('finds nothing to say of a runtime that keeps the context', async () => {
    expect(await selfTest('this one', 200)).toBeUndefined()
  })

  test('names a runtime that loses it', async () => {
    const outside: (() => void)[] = []
    const timer = setInterval(() => { for (const work of outside.splice(0)) work() }, 1)
    const lossy = { thenable: (seen: () => void) => new Promise<void>(resolve => { outside.push(() => { seen(); resolve() }) }) }
    expect(await selfTest('node 0.1', 50, lossy)).toBe('node 0.1 loses the async context after thenable (50): late output may be missing. Use another version of it.')
    clearInterval(timer)
  })
})
