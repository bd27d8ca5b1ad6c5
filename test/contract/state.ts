import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { until } from '../support/engine.ts'
import type { ContractCase, ContractContext } from './case.ts'

/** Two engines after another over one folder: what the first saved, the second brings back. */
async function reopened({ engine, folder }: ContractContext, cells: readonly string[], options: Record<string, unknown> = {}) {
  const snapshot = { path: join(folder(), 'state') }
  const first = engine({ snapshot, options })
  for (const cell of cells) expect(await first.execute(cell)).toMatchObject({ status: 'ok' })
  const saved = await first.snapshotState()
  await first.dispose()
  const second = engine({ snapshot, options })
  const report = await second.restoreState()
  return { first, second, saved, report, path: snapshot.path }
}

const SAVES = ['v8-serializer']
const PORTABLE = ['v8-serializer', 'seroval-serializer']

const cases: readonly ContractCase[] = [
  {
    title: 'brings names back after a restart: data, dates, maps, buffers, errors, and which of them are the same object',
    why: 'losing the process should not mean losing work',
    needs: SAVES,
    async run(context) {
      const { second, report } = await reopened(context, [
        `const user = { name: 'Ada', at: new Date(5), tags: new Set(['x']), by: new Map([[1n, /a/gi]]), bytes: Buffer.from('hey'), link: new URL('http://a/b?c=1') }
         const failure = Object.assign(new RangeError('no', { cause: new TypeError('root') }), { code: 'E_NO' }); const bare = Object.create(null)`,
        'const twin = [user, user]; const loop = {}; loop.self = loop; const odd = [, -0, NaN]',
      ])
      expect(report).toMatchObject({ held: [], failed: [], lost: [] })
      const check = `[user.name, user.at.getTime(), user.tags.has('x'), String(user.by.get(1n)), Buffer.isBuffer(user.bytes) && String(user.bytes), user.link.href,
        failure instanceof RangeError, failure.code, failure.cause.message, Object.getPrototypeOf(bare), twin[0] === user && twin[1] === user, loop.self === loop, 0 in odd, Object.is(odd[1], -0)].join()`
      expect(await second.execute(check)).toMatchObject({ result: "'Ada,5,true,/a/gi,hey,http://a/b?c=1,true,E_NO,root,,true,true,false,true'" })
    },
  },
  {
    title: 'names what it could not keep, when saving and again after the restart, and says so when it is read',
    why: 'a value that is silently another one is worse than one that is gone',
    needs: SAVES,
    async run(context) {
      const { second, saved, report } = await reopened(context, [
        'class Point { x = 1 }; const point = new Point(); const conf = { retries: 3, onFail: () => 1 }; const work = Promise.resolve(5); const wait = () => 1; const fine = 1',
      ])
      expect(saved.failed.map(({ name }) => name).sort()).toEqual(['Point', 'wait', 'work'])
      expect(saved.lossy.map(({ name }) => name).sort()).toEqual(['conf', 'point'])
      const lost = new Map(report?.lost.map(({ name, reason }) => [name, reason]))
      expect([...lost.keys()].sort()).toEqual(['Point', 'conf', 'point', 'wait', 'work'])
      expect(lost.get('conf')).toContain('conf.onFail is a function')
      expect(lost.get('point')).toContain('Point')
      expect(await second.execute('[fine, conf.retries, point.x, typeof wait].join()')).toMatchObject({ result: "'1,3,1,undefined'" })
      expect(await second.execute('wait()')).toMatchObject({ status: 'error', error: { message: expect.stringContaining("'wait' did not survive the restart") as string } })
      expect(await second.execute('const wait = 2; wait')).toMatchObject({ status: 'ok', result: '2' })
    },
  },
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
    title: 'never puts a snapshot over a state that was not brought back',
    why: 'a failed restart must not cost the work of the session before',
    needs: SAVES,
    async run({ engine, folder }) {
      const snapshot = { path: join(folder(), 'state') }
      const first = engine({ snapshot })
      await first.execute('const valuable = "from last session"')
      await first.snapshotState()
      await first.dispose()
      const hasty = engine({ snapshot })
      await hasty.execute('const fresh = 1')
      await expect(hasty.snapshotState()).rejects.toMatchObject({ message: expect.stringContaining('restoreState()') as string })
      await hasty.dispose()
      const third = engine({ snapshot })
      await third.restoreState()
      expect(await third.execute('valuable')).toMatchObject({ result: "'from last session'" })
    },
  },
  {
    title: 'answers null when there is nothing to bring back, and brings back an earlier generation by its number',
    why: 'a clean start is no error, and a branch of a session starts from what it left',
    needs: SAVES,
    async run({ engine, folder }) {
      const snapshot = { path: join(folder(), 'state') }
      const first = engine({ snapshot })
      expect(await first.restoreState()).toBeNull()
      await first.execute('let n = 1')
      const { generation } = await first.snapshotState()
      await first.execute('n = 2; const later = true')
      await first.snapshotState()
      await first.dispose()
      const second = engine({ snapshot })
      expect(await second.restoreState(generation)).toMatchObject({ generation, restored: ['n'] })
      expect(await second.execute('[n, typeof later].join()')).toMatchObject({ result: "'1,undefined'" })
      await expect(second.restoreState(99)).rejects.toMatchObject({ message: expect.stringContaining('99') as string })
    },
  },
  {
    title: 'keeps its files to their owner, in a folder that git ignores',
    why: 'a notebook holds what its user works with',
    needs: SAVES,
    async run(context) {
      const { path } = await reopened(context, ['const a = "x".repeat(100_000)'])
      expect(statSync(path).mode & 0o777).toBe(0o700)
      expect(readFileSync(join(path, '.gitignore'), 'utf8')).toBe('*\n')
      for (const file of readdirSync(path, { withFileTypes: true, recursive: true }).filter(entry => entry.isFile())) expect([file.name, statSync(join(file.parentPath, file.name)).mode & 0o777]).toEqual([file.name, 0o600])
    },
  },
  {
    title: 'lets two sessions read one state and one of them write it; the other is told',
    why: 'two writers would overwrite each other\'s work',
    needs: SAVES,
    async run({ engine, folder }) {
      const snapshot = { path: join(folder(), 'state') }
      const first = engine({ snapshot })
      await first.execute('const a = 1')
      await first.snapshotState()
      const second = engine({ snapshot })
      await second.restoreState()
      const told = await second.execute('a + 1')
      expect(told).toMatchObject({ status: 'ok', result: '2' })
      expect(told.notices.join()).toMatch(/in use by process \d+ on/)
      await expect(second.snapshotState()).rejects.toMatchObject({ message: expect.stringContaining('does not save') as string })
    },
  },
  {
    title: 'keeps engine-owned names live whatever was saved under them',
    why: 'a stale saved handle would call into nothing',
    needs: [...SAVES, 'memory'],
    async run(context) {
      const { second } = await reopened(context, ['globalThis.x = 1; const kept = 1'])
      expect(await second.execute('typeof rlm.forget')).toMatchObject({ result: "'function'" })
      expect(await second.execute('const rlm = 1')).toMatchObject({ status: 'error' })
    },
  },
  {
    title: 'forgets a name at once and for good: after a kill it is gone, and its bytes with the next save',
    why: 'a secret that was removed must not come back, nor stay on the disk',
    needs: [...SAVES, 'memory'],
    async run({ engine, folder }) {
      const snapshot = { path: join(folder(), 'state') }
      const first = engine({ snapshot })
      await first.execute('const secret = "hunter2-hunter2"; const other = 1')
      const { generation } = await first.snapshotState()
      await first.execute('rlm.forget("secret")')
      first.kill()
      const second = engine({ snapshot })
      expect(await second.restoreState(generation)).toMatchObject({ restored: ['other'] })
      expect(await second.execute('typeof secret')).toMatchObject({ result: "'undefined'" })
      await second.execute('const more = 1')
      await second.snapshotState()
      expect(readFileSync(join(snapshot.path, 'log')).includes('hunter2')).toBe(false)
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
  {
    title: 'saves by itself, without a call, before a notebook is disposed and while it runs',
    why: 'durability must not depend on remembering to save',
    needs: [...SAVES, 'autosave'],
    async run({ engine, folder }) {
      const snapshot = { path: join(folder(), 'state') }
      const options = { autosave: { debounceMs: 50 } }
      const first = engine({ snapshot, options })
      await first.execute('const a = 1')
      await first.execute('b = 2; throw new Error("late")')
      await expect.poll(() => readdirSync(snapshot.path), { timeout: 20_000 }).toContain('log')
      await new Promise(resolve => { setTimeout(resolve, 300) })
      first.kill()
      const second = engine({ snapshot, options: { autosave: { debounceMs: 60_000, maxWaitMs: 60_000 } } })
      await second.restoreState()
      expect(await second.execute('const c = a + b; c')).toMatchObject({ result: '3' })
      await second.dispose()
      const third = engine({ snapshot })
      await third.restoreState()
      expect(await third.execute('c')).toMatchObject({ result: '3' })
    },
  },
  {
    title: 'tells with every result that saving fails, once it failed twice, until it works again',
    why: 'who trusts a notebook to remember must hear when it does not',
    needs: [...SAVES, 'autosave'],
    async run({ engine, folder }) {
      const path = join(folder(), 'state')
      const first = engine({ snapshot: { path } })
      await first.execute('const a = 1')
      await first.snapshotState()
      const other = engine({ snapshot: { path } })
      for (let attempt = 0; attempt < 2; attempt++) await expect(other.snapshotState()).rejects.toThrow()
      for (let cell = 0; cell < 2; cell++) expect((await other.execute('1')).notices.join('\n')).toContain('State is not being saved')
    },
  },
  {
    title: 'reads what the other runtime wrote when it is small, in a portable form',
    why: 'moving a session to another machine should not cost it its state',
    needs: PORTABLE,
    async run(context) {
      const { path } = await reopened(context, ['const made = { d: new Date(1), m: new Map([[1, { a: [1n] }]]), u: new URL("http://x/"), e: new RangeError("r") }'])
      expect(readFileSync(join(path, 'log'), 'latin1')).toMatch(/"codec":"(flat\+)?seroval/)
    },
  },
]
export default cases
