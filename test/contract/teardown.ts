import { expect } from 'vitest'
import type { ContractCase } from './case.ts'

const cases: readonly ContractCase[] = [
  {
    title: 'rejects every call against an engine that was killed or disposed, at once and for ever',
    why: 'nothing may hang on an engine that is gone',
    needs: [],
    async run({ engine }) {
      for (const end of ['kill', 'dispose'] as const) {
        const notebook = engine()
        await notebook.execute('1')
        await notebook[end]()
        expect(notebook.isRunning).toBe(false)
        const calls = [() => notebook.execute('2'), () => notebook.start(), () => notebook.snapshotState(), () => notebook.restoreState(), () => notebook.listNamespaceNames()]
        for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'ENGINE_DEAD' })
        await notebook.dispose()
      }
    },
  },
  {
    title: 'settles the running call and all queued ones when the guest dies, naming how',
    why: 'twenty calls that wait for a dead guest are twenty hung agents',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.start()
      const running = notebook.execute('console.log("last words"); await new Promise(resolve => setTimeout(resolve, 100)); process.exit(7)')
      const queued = Array.from({ length: 20 }, () => notebook.execute('1'))
      await expect(running).rejects.toMatchObject({ code: 'GUEST_DIED', message: expect.stringContaining('exit code 7') as string, partial: { stdout: 'last words\n' } })
      for (const call of queued) await expect(call).rejects.toMatchObject({ code: 'ENGINE_DEAD', message: expect.stringContaining('exit code 7') as string })
      expect(notebook.isRunning).toBe(false)
    },
  },
  {
    title: 'names the signal when the guest is killed from outside',
    why: 'out of memory and a crash ask for different remedies',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.start()
      const running = notebook.execute('await new Promise(() => {})')
      process.kill(notebook.guestPid as number, 'SIGKILL')
      await expect(running).rejects.toMatchObject({ code: 'GUEST_DIED', message: expect.stringContaining('SIGKILL') as string })
    },
  },
  {
    title: 'does not come back to life when it is killed while starting',
    why: 'a guest nobody owns is a leak',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      const starting = notebook.start()
      const waiting = notebook.execute('1')
      notebook.kill()
      await expect(starting).rejects.toMatchObject({ code: 'ENGINE_DEAD' })
      await expect(waiting).rejects.toMatchObject({ code: 'ENGINE_DEAD' })
      expect(notebook.isRunning).toBe(false)
      expect(await notebook.remains()).toEqual([])
    },
  },
  {
    title: 'goes on with a rebuilt guest at the next call and tells of the reset exactly once',
    why: 'recovery is automatic, and never silent',
    needs: [],
    async run({ supervisor }) {
      const notebook = supervisor()
      await notebook.execute('let gone = 1')
      await expect(notebook.execute('process.exit(3)')).rejects.toMatchObject({ code: 'GUEST_DIED' })
      const [next, later] = [await notebook.execute('typeof gone'), await notebook.execute('2')]
      expect(next).toMatchObject({ status: 'ok', result: '\'undefined\'' })
      expect(next.notices).toHaveLength(1)
      expect(next.notices[0]).toContain('exit code 3')
      expect(later.notices).toEqual([])
    },
  },
  {
    title: 'replaces a wedged guest at the next call',
    why: 'an endless loop must not end the notebook',
    needs: [],
    async run({ supervisor }) {
      const notebook = supervisor({ pingTimeoutMs: 300 })
      await notebook.execute('1')
      expect((await notebook.execute('for (;;) {}', { timeoutMs: 200 })).error?.name).toBe('CellTimeout')
      const next = await notebook.execute('1 + 1')
      expect(next).toMatchObject({ status: 'ok', result: '2' })
      expect(next.notices.join('\n')).toContain('restarted')
    },
  },
]
export default cases
