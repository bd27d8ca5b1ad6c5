import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { reopened } from '../support/reopened.ts'
import type { ContractCase } from './case.ts'

const SAVES = ['v8-serializer']

const cases: readonly ContractCase[] = [
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
    title: 'tells once that a save failed, and with every result once two did, until it works again',
    why: 'who trusts a notebook to remember must hear when it does not',
    needs: [...SAVES, 'autosave'],
    async run({ engine, folder }) {
      const path = join(folder(), 'state')
      const first = engine({ snapshot: { path } })
      await first.execute('const a = 1')
      await first.snapshotState()
      const other = engine({ snapshot: { path }, options: { autosave: { debounceMs: 3_600_000, maxWaitMs: 3_600_000, maxWaitCells: 1_000 } } })
      const told = async (): Promise<string> => (await other.execute('1')).notices.join('\n')
      await expect(other.snapshotState()).rejects.toThrow()
      expect(await told()).toContain('The last save failed')
      expect(await told()).not.toContain('failed')
      await expect(other.snapshotState()).rejects.toThrow()
      for (let cell = 0; cell < 2; cell++) expect(await told()).toContain('State is not being saved')
    },
  },
]
export default cases
