import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Workbench, guests, openRegistry } from './support/notebook.ts'
import { publishSamples } from './support/samples.ts'

for (const preset of guests) {
  describe(`npm: imports under preset ${preset.name}`, { timeout: 180_000 }, () => {
    const start = async () => new Workbench(preset, publishSamples(await openRegistry()))

    test('install once into the cache, say the exact version, and leave the working directory alone', async () => {
      const bench = await start()
      writeFileSync(join(bench.cwd, 'package.json'), '{"dependencies":{"plain":"0.1.0"}}')
      const notebook = bench.open()
      const first = await notebook.execute('import { version } from "npm:plain@1"; version')
      expect(first).toMatchObject({ status: 'ok', result: '\'1.0.0\'' })
      expect(first.stderr).toContain('npm:plain@1: plain 1.0.0')
      const asked = bench.registry.requests.length
      expect(await notebook.execute('import { version as again } from "npm:plain@1"; again')).toMatchObject({ status: 'ok', result: '\'1.0.0\'', stderr: '' })
      expect(await bench.open().execute('(await import("npm:plain@1")).version')).toMatchObject({ status: 'ok', result: '\'1.0.0\'' })
      expect(bench.registry.requests).toHaveLength(asked)
      expect(bench.list('entries')).toHaveLength(1)
      expect(bench.list('staging')).toEqual([])
      expect(readdirSync(bench.cwd)).toEqual(['package.json'])
    })

    test('take every form of an import, and every kind of package', async () => {
      const bench = await start()
      const notebook = bench.open()
      const cells = [
        ['import plain, { version } from "npm:plain"; [plain, version].join()', '\'plain,1.0.0\''],
        ['import * as all from "npm:plain@1.0.0"; Object.keys(all).sort().join()', '\'default,version\''],
        ['import "npm:effect"; import "npm:effect"; effects', '1'],
        ['import { sub } from "npm:plain/sub"; sub', '1'],
        ['import data from "npm:plain/data.json" with { type: "json" }; data.n', '7'],
        ['(await import("npm:@co/scoped@~1.2")).version', '\'1.2.3\''],
        ['import common, { a } from "npm:common"; [a, common.b].join()', '\'1,2\''],
        ['import fp from "npm:common/fp"; fp.fp', '3'],
        ['import kind from "npm:both"; kind', preset.name === 'node' ? '\'node\'' : '\'bun\''],
        ['import { version as peer } from "npm:peer"; peer', '\'1.0.0\''],
        ['import { version as events } from "npm:events"; events', '\'9.0.0\''],
        ['const late = () => import("npm:plain/sub"); (await late()).sub', '1'],
        ['await Promise.all(["npm:plain", "npm:common", "npm:plain@^1"].map(name => import(name))).then(all => all.length)', '3'],
      ]
      for (const [cell = '', result] of cells) expect(await notebook.execute(cell), cell).toMatchObject({ status: 'ok', result })
    })

    test('of a package without code give a module without names, and say so', async () => {
      const bench = await start()
      const result = await bench.open().execute('Object.keys(await import("npm:types")).length')
      expect(result).toMatchObject({ status: 'ok', result: '0' })
      expect(result.stderr).toContain('types and no code')
    })

    test('are listed by rlm.packages()', async () => {
      const bench = await start()
      const notebook = bench.open()
      await notebook.execute('import "npm:plain@1"; import "npm:plain@1.0.0"')
      const { value } = await notebook.execute('await rlm.packages()', { json: true })
      expect(value).toEqual([expect.objectContaining({ name: 'plain', version: '1.0.0', asked: ['1'], unrunScripts: [] })])
    })

    test('show a failure inside the package as what it is', async () => {
      const bench = await start()
      bench.registry.publish('broken', '1.0.0', { files: { 'index.js': 'throw new RangeError("from inside")\n' } })
      const notebook = bench.open()
      expect(await notebook.execute('import "npm:broken"')).toMatchObject({ status: 'error', error: { name: 'RangeError', message: 'from inside' } })
      expect(await notebook.execute('1 + 1')).toMatchObject({ result: '2' })
    })
  })
}
