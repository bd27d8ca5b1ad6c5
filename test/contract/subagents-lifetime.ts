import { expect } from 'vitest'
import { op } from '../subagents/support/fake-host.ts'
import { scripted } from '../subagents/support/agent-plugin.ts'
import type { ContractCase } from './case.ts'

const needs = ['subagents']
const task = (name: string, more: Record<string, unknown> = {}): string => JSON.stringify(op(name, more))

const cases: readonly ContractCase[] = [
  {
    title: 'cancels the wait and not the child when a cell that waits is cancelled',
    why: 'the work a child has done is paid for',
    needs,
    async run({ engine }) {
      const notebook = engine({ plugins: [scripted()] })
      await notebook.start()
      const cancel = new AbortController()
      setTimeout(() => cancel.abort(), 500)
      const waiting = await notebook.execute(`h = await rlm.run(${task('sleep', { ms: 1_500, text: 'still' })}, { name: 'patient' }); await h.wait()`, { signal: cancel.signal })
      expect(waiting.status).toBe('aborted')
      expect(await notebook.execute('await (await rlm.subagent("patient")).text()')).toMatchObject({ status: 'ok', result: '\'still\'' })
    },
  },
  {
    title: 'lets a later cell await what an earlier one began to wait for',
    why: 'other work can be done in between',
    needs,
    async run({ engine }) {
      const notebook = engine({ plugins: [scripted()] })
      await notebook.execute(`answer = (await rlm.run(${task('sleep', { ms: 300, text: 'later' })})).text(); 0`)
      expect(await notebook.execute('await answer')).toMatchObject({ status: 'ok', result: '\'later\'' })
    },
  },
  {
    title: 'keeps children through the death of the guest, and the next guest reads them by name',
    why: 'a cell that kills its guest should not kill an hour of delegated work',
    needs,
    async run({ supervisor, folder }) {
      const notebook = supervisor({ plugins: [scripted()], snapshot: { path: folder() } })
      await notebook.execute(`h = await rlm.run(${task('sleep', { ms: 600, text: 'survived' })}, { name: 'tough' }); 0`)
      await notebook.execute('process.kill(process.pid, "SIGKILL"); await new Promise(() => {})').catch(() => {})
      expect(await notebook.execute('await (await rlm.subagent("tough")).text()')).toMatchObject({ status: 'ok', result: '\'survived\'' })
    },
  },
  {
    title: 'brings handles back from a snapshot, alone and in lists, with everything they can do',
    why: 'a handle that is lost with the guest leaves an answer nobody can find',
    needs,
    async run({ engine, folder }) {
      const path = folder()
      const first = engine({ plugins: [scripted()], snapshot: { path } })
      await first.execute('one = await rlm.run("a", { name: "a" }); many = { list: await Promise.all(["b", "c"].map(text => rlm.run(text))), n: 1 }; await rlm.waitAll([one, ...many.list]); 0')
      const saved = await first.snapshotState()
      expect([...saved.failed, ...saved.lossy]).toEqual([])
      await first.dispose()
      const second = engine({ plugins: [scripted()], snapshot: { path } })
      await second.restoreState()
      expect(await second.execute('[await one.text(), await many.list[0].text(), await many.list[1].text(), many.n].join()')).toMatchObject({ status: 'ok', result: '\'a,b,c,1\'' })
    },
  },
  {
    title: 'ends its children with the notebook and leaves no process behind',
    why: 'children nobody reads cost money and memory',
    needs,
    async run({ engine, folder }) {
      const notebook = engine({ plugins: [scripted()], snapshot: { path: folder() } })
      const shown = await notebook.execute(`await rlm.run(${task('hang')}); for (;;) { const [entry] = await rlm.listSubagents(); if (entry.process) { entry.process.pid; break } await new Promise(r => setTimeout(r, 20)) }; (await rlm.listSubagents())[0].process.pid`)
      const pid = Number(shown.result)
      expect(() => process.kill(pid, 0)).not.toThrow()
      await notebook.dispose()
      expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    },
  },
]
export default cases
