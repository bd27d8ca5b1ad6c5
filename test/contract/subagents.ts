import { expect } from 'vitest'
import { op } from '../subagents/support/fake-host.ts'
import { scripted } from '../subagents/support/agent-plugin.ts'
import type { ContractCase } from './case.ts'

const needs = ['subagents']
const task = (name: string, more: Record<string, unknown> = {}): string => JSON.stringify(op(name, more))

const cases: readonly ContractCase[] = [
  {
    title: 'answers rlm.run at admission with a handle, and reads the whole answer when the cell wants it',
    why: 'a parent that blocked until its child had finished could not supervise it',
    needs,
    async run({ engine }) {
      const notebook = engine({ plugins: [scripted()] })
      const cell = `const h = await rlm.run(${task('sleep', { ms: 150, text: 'done' })}, { name: 'slow' }); [h.name, h.status, await h.text(), h.status].join()`
      expect(await notebook.execute(cell, { cellId: 'call-1' })).toMatchObject({ status: 'ok', result: '\'slow,queued,done,completed\'' })
      expect((await notebook.execute('(await rlm.listSubagents()).map(({ name, status, spawn_cell_id }) => [name, status, spawn_cell_id].join()).join()')).result).toBe('\'slow,completed,call-1\'')
    },
  },
  {
    title: 'collects many children in one cell, in the order of the items, with each failure its own',
    why: 'a turn of the model for every look at a child is paid for',
    needs,
    async run({ engine }) {
      const notebook = engine({ plugins: [scripted()] })
      const result = await notebook.execute(`
        const run = n => rlm.run('#op ' + JSON.stringify(n === 3 ? { op: 'crash' } : { op: 'sleep', ms: 60 - n * 10, text: 'n' + n }))
        let results = await rlm.map([0, 1, 2, 3, 4], run, { concurrency: 3 })
        let refused; try { rlm.reduce(results, (sum, text) => sum + text, '') } catch (error) { refused = error.name + ' ' + rlm.coverage(results).done }
        results = await rlm.map([0, 1, 2, 3, 4], n => n === 3 ? 'again' : fail(), { previous: results })
        ;[refused, rlm.reduce(results, (sum, text) => sum + text + ' ', '')].join('; ')`)
      expect(result).toMatchObject({ status: 'ok', result: '\'PartsMissing 4; n0 n1 n2 again n4 \'' })
    },
  },
  {
    title: 'waits for any or all of some children, and says after its time who still runs',
    why: 'sleeping and peeking burns turns',
    needs,
    async run({ engine }) {
      const notebook = engine({ plugins: [scripted()] })
      const result = await notebook.execute(`
        const quick = await rlm.run(${task('sleep', { ms: 50, text: 'q' })}), endless = await rlm.run(${task('hang')}, { name: 'endless' })
        const first = await rlm.waitAny([endless, quick])
        let late; try { await rlm.waitAll([quick, endless], { timeoutMs: 200 }) } catch (error) { late = error.name + ': ' + error.message.slice(0, 37) }
        await rlm.deleteSubagent(endless)
        const all = await rlm.waitAll([quick, endless])
        ;[first === quick, late, all.map(h => h.reason ?? h.status), (await rlm.deleteSubagent(endless.id)).reason].join('; ')`)
      expect(result).toMatchObject({ status: 'ok', result: '\'true; WaitTimeout: waited 200 ms and endless still runs.; completed,stopped; stopped\'' })
    },
  },
  {
    title: 'takes a handle, an entry of the list, an id and a name for the same child',
    why: 'a name that works in one call and not in the next costs a turn each time',
    needs,
    async run({ engine }) {
      const notebook = engine({ plugins: [scripted()] })
      const result = await notebook.execute(`
        const h = await rlm.run('x', { name: 'one' }); await h.wait()
        const [entry] = await rlm.listSubagents()
        const found = await Promise.all([h, entry, h.id, 'one'].map(key => rlm.subagent(key)))
        ;[found.every(each => each.id === h.id), await found[3].text(), entry.output_file === h.output_file].join()`)
      expect(result).toMatchObject({ status: 'ok', result: '\'true,x,true\'' })
      expect(await notebook.execute('await rlm.deleteSubagent("nobody")')).toMatchObject({ status: 'error', error: { code: 'NO_CHILD' } })
    },
  },
  {
    title: 'hands values over as files that hold them exactly',
    why: 'a value pasted into a prompt is cut, quoted or paid for twice',
    needs,
    async run({ engine }) {
      const notebook = engine({ plugins: [scripted()] })
      const result = await notebook.execute(`
        const { readFileSync } = await import('node:fs')
        const h = await rlm.run('Read', { inputs: { text: 'ü\\n', bytes: new Uint8Array([0, 255]), data: { a: [1, null] } } })
        const paths = [...(await h.text()).matchAll(/^- \\w+: (\\S+)/gm)].map(match => match[1])
        JSON.stringify([readFileSync(paths[0], 'utf8'), [...readFileSync(paths[1])], JSON.parse(readFileSync(paths[2], 'utf8'))])`)
      expect(result).toMatchObject({ status: 'ok', result: '\'["ü\\\\n",[0,255],{"a":[1,null]}]\'' })
      expect(await notebook.execute('await rlm.run("x", { inputs: { loop: (() => { const a = {}; a.a = a; return a })() } })')).toMatchObject({ status: 'error', error: { message: expect.stringContaining('input \'loop\'') as string } })
    },
  },
  {
    title: 'reads an answer as JSON, in a fence or not, checks it, and says what is wrong with it',
    why: 'an answer that is taken for what it is not spoils everything after it',
    needs,
    async run({ engine }) {
      const notebook = engine({ plugins: [scripted()] })
      const fenced = task('say', { text: '```json\n{ "n": 1 }\n```' })
      expect(await notebook.execute(`JSON.stringify(await (await rlm.run(${fenced})).json({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }))`)).toMatchObject({ result: '\'{"n":1}\'' })
      expect(await notebook.execute(`await (await rlm.run(${fenced})).json({ type: 'array' })`)).toMatchObject({ status: 'error', error: { name: 'BadAnswer', message: expect.stringContaining('does not fit the schema') as string } })
      expect(await notebook.execute('await (await rlm.run("no json")).json()')).toMatchObject({ status: 'error', error: { name: 'BadAnswer', message: expect.stringContaining('It begins: no json') as string } })
    },
  },
  {
    title: 'refuses children beyond the depth its host allows, whatever a cell does to the environment',
    why: 'a model that could raise its own limit would',
    needs,
    async run({ engine }) {
      const notebook = engine({ plugins: [scripted()], options: { subagents: { maxDepth: 0 } } })
      const result = await notebook.execute('process.env.PI_RLM_DEPTH = "0"; process.env.PI_RLM_MAX_DEPTH = "9"; await rlm.run("x")')
      expect(result).toMatchObject({ status: 'error', error: { code: 'CHILD_DEPTH' } })
    },
  },
  {
    title: 'keeps the handles of those it admitted when a fan-out reaches the limit',
    why: 'what was paid for is not to be lost with what was refused',
    needs,
    async run({ engine }) {
      const notebook = engine({ plugins: [scripted()], options: { subagents: { maxTotal: 3 } } })
      const result = await notebook.execute('results = await rlm.map([1, 2, 3, 4, 5], n => rlm.run("n" + n)); [results.filter(r => r.status === "fulfilled").length, results.find(r => r.status === "rejected").reason.code].join()')
      expect(result).toMatchObject({ status: 'ok', result: '\'3,CHILD_TOTAL\'' })
    },
  },
  {
    title: 'says what is missing when a preset has no child agent, or none that makes plain calls',
    why: 'a call that hangs or fails without a reason is tried again and again',
    needs,
    async run({ engine }) {
      expect(await engine().execute('await rlm.run("x")')).toMatchObject({ status: 'error', error: { code: 'NO_AGENT', message: expect.stringContaining('no child agent') as string } })
      expect(await engine({ plugins: [scripted()] }).execute('await rlm.ask("x")')).toMatchObject({ status: 'error', error: { code: 'NO_ASK' } })
    },
  },
]
export default cases
