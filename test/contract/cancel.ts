import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ContractCase } from './case.ts'

const cases: readonly ContractCase[] = [
  {
    title: 'cancels one cell and keeps the namespace; its continuation neither writes nor prints',
    why: 'a cancel must cost one cell, not the work before it',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.execute('let state = "before"; const assign = value => { state = value }')
      const stop = new AbortController()
      const chunks: string[] = []
      const running = notebook.execute(`
        console.log('started')
        await new Promise(resolve => setTimeout(resolve, 400))
        console.log('after')
        try { state = 'direct' } catch {}
        try { assign('through an older closure') } catch {}
        globalThis.continued = true
      `, { signal: stop.signal, onStream: text => { chunks.push(text); stop.abort() } })
      expect(await running).toMatchObject({ status: 'aborted', stdout: 'started\n' })
      expect(await notebook.execute('await new Promise(resolve => setTimeout(resolve, 700)); [state, globalThis.continued].join()')).toMatchObject({ status: 'ok', stdout: '', result: '\'before,true\'' })
      expect(chunks.join('')).toBe('started\n')
    },
  },
  {
    title: 'settles a cancel at once while the guest is still starting, and never runs the cell',
    why: 'Escape right after the prompt must mean it',
    needs: [],
    async run({ engine, folder }) {
      const notebook = engine()
      const file = join(folder(), 'written')
      const stop = new AbortController()
      const running = notebook.execute(`(await import('node:fs')).writeFileSync(${JSON.stringify(file)}, 'x')`, { signal: stop.signal })
      stop.abort()
      expect(await running).toMatchObject({ status: 'aborted', stdout: '', durationMs: 0 })
      expect(await notebook.execute('1')).toMatchObject({ status: 'ok' })
      expect(existsSync(file)).toBe(false)
    },
  },
  {
    title: 'is aborted whenever the caller gave up, even if the cell finished first',
    why: 'a caller that went away must never see an ok it did not wait for',
    needs: [],
    async run({ engine }) {
      const notebook = engine()
      await notebook.start()
      const stop = new AbortController()
      // The cell prints and ends in one go, so that its end is on its way when the caller gives up.
      const running = notebook.execute('console.log("going"); "finished"', { signal: stop.signal, onStream: () => { stop.abort() } })
      expect((await running).status).toBe('aborted')
    },
  },
  {
    title: 'settles the abort of a synchronous loop within the grace period, refuses the next call as busy, and comes back by kill, start and restore',
    why: 'losing the process should not mean losing the work',
    needs: ['v8-serializer'],
    async run({ preset, engine, folder }) {
      const snapshot = { path: folder() }
      const first = engine({ snapshot, pingTimeoutMs: 500 })
      await first.execute('let work = { items: [1, 2, 3] }')
      await first.snapshotState()
      expect((await first.execute('while (true) {}', { signal: AbortSignal.timeout(300) })).status).toBe('aborted')
      await expect(first.execute('1')).rejects.toMatchObject({ code: 'ENGINE_BUSY', name: 'EngineBusyError' })
      first.kill()
      const second = engine({ preset, snapshot })
      await second.start()
      expect((await second.restoreState())?.restored).toContain('work')
      expect(await second.execute('work.items.length')).toMatchObject({ result: '3' })
    },
  },
]
export default cases
