import { readdirSync } from 'node:fs'
import { expect } from 'vitest'
import { Workbench, openRegistry } from '../npm/support/notebook.ts'
import type { ContractCase } from './case.ts'

const cases: readonly ContractCase[] = [
  {
    title: 'installs npm:name@version/path once into an isolated cache and leaves the working directory alone',
    why: 'an agent that needs a package must not change the project it works on',
    needs: ['npm-cache'],
    async run({ preset }) {
      const bench = new Workbench(preset, await openRegistry())
      bench.registry.publish('boxed', '1.4.2', { files: { 'deep/part.js': 'export const part = "found"\n' } })
      const notebook = bench.open()
      const first = await notebook.execute('import { part } from "npm:boxed@^1/deep/part"; part')
      expect(first).toMatchObject({ status: 'ok', result: '\'found\'' })
      expect(first.stderr).toContain('boxed 1.4.2')
      const asked = bench.registry.requests.length
      expect(await notebook.execute('const again = () => import("npm:boxed@^1"); [part, (await again()).version].join()')).toMatchObject({ status: 'ok', result: '\'found,1.4.2\'' })
      expect(await bench.open().execute('(await import("npm:boxed@1.4.2")).version')).toMatchObject({ status: 'ok', result: '\'1.4.2\'' })
      expect(bench.registry.requests).toHaveLength(asked)
      expect(readdirSync(bench.cwd)).toEqual([])
    },
  },
  {
    title: 'refuses an npm: specifier that is more than name, version and path before anything starts',
    why: 'a specifier may come from a document the agent has read',
    needs: ['npm-cache'],
    async run({ preset }) {
      const bench = new Workbench(preset, await openRegistry())
      const notebook = bench.open()
      for (const specifier of ['npm:../x', 'npm:a@npm:b', 'npm:a@file:..', 'npm:a@https://h/t.tgz', 'npm:a@1/../../etc/hostname', 'npm:.bin', 'npm:a%2fb']) {
        expect(await notebook.execute(`import ${JSON.stringify(specifier)}`), specifier).toMatchObject({ status: 'error', error: { name: 'NpmImportError', code: 'NPM_BAD_SPECIFIER' } })
      }
      expect(await notebook.execute('1 + 1')).toMatchObject({ status: 'ok', result: '2' })
      expect(bench.registry.requests).toEqual([])
    },
  },
  {
    title: 'names package and cause when an npm: import fails, keeps the names bound before it, and can try again',
    why: 'the agent decides by the cause whether to fix the name, wait or do without',
    needs: ['npm-cache'],
    async run({ preset }) {
      const bench = new Workbench(preset, await openRegistry())
      const notebook = bench.open()
      await notebook.execute('let kept = 7')
      expect(await notebook.execute('import "npm:later@1"')).toMatchObject({ status: 'error', error: { name: 'NpmImportError', code: 'NPM_NOT_FOUND', message: expect.stringContaining('npm:later@1') as string } })
      bench.registry.publish('later', '1.0.0')
      expect(await notebook.execute('import { version } from "npm:later@1"; [kept, version].join()')).toMatchObject({ status: 'ok', result: '\'7,1.0.0\'' })
    },
  },
]
export default cases
