import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { reopened } from '../support/reopened.ts'
import type { ContractCase } from './case.ts'

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
    title: 'imports again what a name imported, also a destructured export, and says which module is gone',
    why: 'a session should not have to repeat its imports after a restart',
    needs: SAVES,
    async run(context) {
      const cwd = context.folder()
      const lib = join(cwd, 'lib.mjs')
      writeFileSync(lib, 'export const double = n => n * 2; export const table = { rows: [1] }; export default class Point { x = 3 }')
      const { second, saved, report, path } = await reopened(context, [
        `import * as paths from 'node:path'; import Point, { double, table } from './lib.mjs'; const { basename } = await import('path'); table.rows.push(2); const own = () => 1`,
      ], {}, { cwd })
      expect(saved.failed.map(({ name }) => name)).toEqual(['own'])
      expect(report).toMatchObject({ held: [], deferred: expect.arrayContaining(['double', 'Point']) as string[], restored: expect.arrayContaining(['paths', 'basename', 'table']) as string[] })
      expect(await second.execute('[paths.join("a", "b"), basename("a/b"), double(2), new Point().x, table.rows.length].join()')).toMatchObject({ result: "'a/b,b,4,3,2'" })
      await second.dispose()
      rmSync(lib)
      const third = context.engine({ snapshot: { path }, cwd })
      expect((await third.restoreState())?.held.map(({ name, reason }) => [name, reason.includes('./lib.mjs')])).toEqual(expect.arrayContaining([['double', true], ['Point', true]]) as unknown)
      expect(await third.execute('double(2)')).toMatchObject({ status: 'error', error: { message: expect.stringContaining("'double' is kept on disk but cannot be read") as string } })
      expect(await third.execute('paths.sep')).toMatchObject({ result: "'/'" })
      writeFileSync(lib, 'export const double = n => n * 3')
      expect(await third.execute('double(2)')).toMatchObject({ result: '6' })
    },
  },
  {
    title: 'brings its own last save back on request, and keeps what was bound since',
    why: 'a restore on a running notebook is how a user takes a cell back',
    needs: SAVES,
    async run({ engine, folder }) {
      const snapshot = { path: join(folder(), 'state') }
      const notebook = engine({ snapshot })
      await notebook.execute('const list = [1]; let n = 1')
      const { generation } = await notebook.snapshotState()
      await notebook.execute('list.push(2); n = 2; const later = 3')
      expect(await notebook.restoreState()).toMatchObject({ generation, restored: ['list', 'n'] })
      expect(await notebook.execute('[list.length, n, later].join()')).toMatchObject({ result: "'1,1,3'" })
      await notebook.snapshotState()
      await notebook.dispose()
      const next = engine({ snapshot })
      await next.restoreState()
      expect(await next.execute('[list.length, n, later].join()')).toMatchObject({ result: "'1,1,3'" })
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
