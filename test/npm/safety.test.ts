import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { Workbench, guests, openRegistry } from './support/notebook.ts'
import { publishSamples, publishScripted } from './support/samples.ts'

for (const preset of guests) {
  describe(`the safety of npm: imports under preset ${preset.name}`, { timeout: 180_000 }, () => {
    test('a specifier that is more than name, version and path is refused before anything starts', async () => {
      const bench = new Workbench(preset, publishSamples(await openRegistry()))
      const notebook = bench.open()
      for (const specifier of ['npm:../x', 'npm:plain@npm:common', 'npm:plain@file:..', 'npm:plain@https://h/t.tgz', 'npm:plain@1/../../../etc/hostname', 'npm:a%2f..%2fb', 'npm:.bin', 'npm:Plain', 'npm:plain ', `npm:${'a'.repeat(10_000)}`]) {
        const result = await notebook.execute(`await import(${JSON.stringify(specifier)})`)
        expect(result, specifier).toMatchObject({ status: 'error', error: { name: 'NpmImportError', code: 'NPM_BAD_SPECIFIER' } })
      }
      expect(await notebook.execute('1 + 1')).toMatchObject({ result: '2' })
      expect(bench.registry.requests).toEqual([])
      expect(readdirSync(bench.cache)).toEqual([])
    })

    test('no install script runs, neither of the package nor of what it needs, unless the preset names it', async () => {
      const marker = join(temporaryFolder(), 'marker')
      const bench = new Workbench(preset, publishScripted(await openRegistry(), marker))
      const notebook = bench.open()
      const refused = await notebook.execute('import { version } from "npm:scripted"; import "npm:above"; version')
      expect(refused).toMatchObject({ status: 'ok', result: '\'1.0.0\'' })
      expect(refused.stderr).toContain('install scripts not run: scripted')
      expect(existsSync(marker)).toBe(false)
      expect(await bench.open({ scripts: ['above', 'other'] }).execute('import "npm:above"')).toMatchObject({ status: 'ok' })
      expect(existsSync(marker)).toBe(false)
      expect(await bench.open({ scripts: ['scripted'] }).execute('import "npm:above"')).toMatchObject({ status: 'ok' })
      expect(existsSync(marker)).toBe(true)
    })

    test('a package that fails without its install script says how to allow it', async () => {
      const bench = new Workbench(preset, await openRegistry())
      bench.registry.publish('needy', '1.0.0', { manifest: { scripts: { postinstall: 'node make.js' }, hasInstallScript: true }, files: { 'index.js': 'import "./made.js"\n' } })
      expect(await bench.open().execute('import "npm:needy"')).toMatchObject({ status: 'error', error: { code: 'NPM_SCRIPT_REFUSED', message: expect.stringContaining('scripts: [\'needy\']') as string } })
    })

    test('a module that resolves outside of its entry is not loaded', async () => {
      const bench = new Workbench(preset, publishSamples(await openRegistry()))
      expect(await bench.open().execute('import "npm:outside"')).toMatchObject({ status: 'error', error: { code: 'NPM_OUTSIDE' } })
    })

    test('the login of the user\'s npm configuration is used, and neither printed nor left in the cache', async () => {
      const bench = new Workbench(preset, await openRegistry())
      const secret = 'tok-5e7d1c90ab'
      const host = bench.registry.url.replace('http:', '')
      writeFileSync(join(bench.home, '.npmrc'), `${host}:_authToken=${secret}\n`)
      writeFileSync(join(bench.cwd, 'package.json'), '{}')
      writeFileSync(join(bench.cwd, '.npmrc'), `@team:registry=${bench.registry.url}\n`)
      bench.registry.publish('@team/kept', '1.0.0')
      const notebook = bench.open({}, { npm_config_registry: 'http://127.0.0.1:9/' })
      const result = await notebook.execute('(await import("npm:@team/kept")).version')
      expect(result).toMatchObject({ status: 'ok', result: '\'1.0.0\'' })
      expect(bench.registry.authorizations).toContain(`Bearer ${secret}`)
      bench.registry.fault = () => 401
      const refused = await notebook.execute('import "npm:@team/other"')
      expect(refused).toMatchObject({ status: 'error', error: { code: 'NPM_REFUSED' } })
      expect(JSON.stringify([result, refused])).not.toContain(secret)
      for (const file of readdirSync(bench.cache, { recursive: true, encoding: 'utf8' }).map(name => join(bench.cache, name))) {
        if (statSync(file).isFile()) expect(readFileSync(file, 'latin1').includes(secret), file).toBe(false)
      }
    })
  })
}
