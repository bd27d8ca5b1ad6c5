import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { until } from '../support/engine.ts'
import { reopened } from '../support/reopened.ts'
import type { ContractCase } from './case.ts'

const SAVES = ['v8-serializer']

const cases: readonly ContractCase[] = [
  {
    title: 'serialises again only what was touched, and counts a read as a touch',
    why: 'a long session must not pay forever for what it did once; what grew inside is only seen as a read',
    needs: SAVES,
    async run({ engine, folder }) {
      const notebook = engine({ snapshot: { path: join(folder(), 'state') } })
      await notebook.execute('const a = [1]; const b = { n: 2 }; const c = "text"')
      expect((await notebook.snapshotState()).written).toEqual(['a', 'b', 'c'])
      expect((await notebook.snapshotState()).written).toEqual([])
      await notebook.execute('a.push(2)')
      const third = await notebook.snapshotState()
      expect(third).toMatchObject({ written: ['a'], saved: ['a', 'b', 'c'], stale: [] })
    },
  },
  {
    title: 'finds numbers, words and flags that an older function or a timer has written, and saves them by itself',
    why: 'such names are as fast as a variable, and must not be lost for it',
    needs: [...SAVES, 'autosave'],
    async run({ engine, folder }) {
      const snapshot = { path: join(folder(), 'state') }
      const notebook = engine({ snapshot, options: { autosave: { debounceMs: 3_600_000, maxWaitMs: 3_600_000, maxWaitCells: 1_000 } } })
      await notebook.execute('let n = 0, word = "a", flag = false, still = 1; const up = () => { n += 0.5; word += "b"; flag = !flag }')
      await notebook.snapshotState()
      await notebook.execute('up()')
      expect((await notebook.snapshotState()).written).toEqual(expect.arrayContaining(['n', 'word', 'flag']))
      await notebook.execute('up.length')
      expect((await notebook.snapshotState()).written).not.toContain('still')
      await notebook.dispose()
      const second = engine({ snapshot, options: { autosave: { debounceMs: 50 } } })
      await second.restoreState()
      await second.execute('word += ""; setTimeout(() => { word += "c" }, 500); 0')
      await second.snapshotState()
      await expect.poll(() => readFileSync(join(snapshot.path, 'log')).includes('abc'), { timeout: 20_000 }).toBe(true)
    },
  },
  {
    title: 'saves a change that was made through another name, a closure or a timer',
    why: 'what is restored must be what was there, however it got there',
    needs: SAVES,
    async run({ engine, folder }) {
      const snapshot = { path: join(folder(), 'state') }
      const first = engine({ snapshot })
      await first.execute('const a = { n: 0 }; const b = { a }; let grow; { const hidden = [0]; var list = hidden; grow = () => hidden.push(1) }; const ticks = []; { const own = ticks; var n = 0; const t = setInterval(() => { own.push(n++); if (n === 3) clearInterval(t) }, 5) }')
      await first.snapshotState()
      await first.execute('b.a.n = 7')
      await first.execute('grow()')
      await first.snapshotState()
      await until('the timer is done', async () => (await first.execute('n')).result === '3')
      await first.snapshotState()
      await first.dispose()
      const quiet = engine({ snapshot })
      await quiet.restoreState()
      expect(await quiet.execute('[a.n, b.a === a, list.length, ticks.length].join()')).toMatchObject({ result: "'7,true,2,3'" })
    },
  },
  {
    title: 'leaves large values that nobody used unread, loads one at its first read and says so on stderr',
    why: 'a session that is resumed should not wait for what it does not need',
    needs: [...SAVES, 'lazy-restore'],
    async run(context) {
      const lazy = { 'lazy-restore': { minBytes: 1000, minAgeCells: 2 } }
      const { second, report, path } = await reopened(context, ['const big = Array.from({ length: 5000 }, (_, i) => ({ i })); const view = big.slice(0, 2); const small = 1', 'const a = 1', 'const b = 2', 'const c = 3'], lazy)
      expect([...report?.deferred ?? []].sort()).toEqual(['big', 'view'])
      const untouched = await second.execute('small')
      expect(untouched.stderr).toBe('')
      const read = await second.execute('const reader = () => big.length; const { length } = big; [typeof big, reader(), length, view[0] === big[0]].join()')
      expect(read).toMatchObject({ result: "'object,5000,5000,true'", stderr: expect.stringContaining('big') as string })
      await second.dispose()
      for (let cycle = 0; cycle < 3; cycle++) {
        const next = context.engine({ snapshot: { path }, options: lazy })
        await next.restoreState()
        await next.execute(`const cycle${cycle} = 1`)
        await next.execute('1')
        await next.execute('2')
        await next.snapshotState()
        await next.dispose()
      }
      const last = context.engine({ snapshot: { path }, options: lazy })
      expect((await last.restoreState())?.deferred).toContain('big')
      expect(await last.execute('big.at(-1).i')).toMatchObject({ result: '4999' })
    },
  },
]
export default cases
