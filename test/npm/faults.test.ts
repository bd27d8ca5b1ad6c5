import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pause, until } from '../support/engine.ts'
import { Workbench, guests, openRegistry } from './support/notebook.ts'
import type { Fault } from './support/registry.ts'
import { publishSamples } from './support/samples.ts'

const IMPORT = '(await import("npm:plain@1.0.0")).version'
const tarball = (fault: Fault) => (path: string) => path.includes('/-/') ? fault : undefined

for (const preset of guests) {
  describe(`npm: imports under preset ${preset.name}`, { timeout: 180_000 }, () => {
    const start = async () => new Workbench(preset, publishSamples(await openRegistry()))

    const faults: readonly (readonly [string, (path: string) => Fault | undefined, string])[] = [
      ['missing', () => 404, 'NPM_NOT_FOUND'],
      ['refused', () => 403, 'NPM_REFUSED'],
      ['failing', () => 500, 'NPM_NO_NETWORK'],
      ['dropped', () => 'drop', 'NPM_NO_NETWORK'],
      ['halved', tarball('truncated'), 'NPM_NO_NETWORK'],
      ['forged', () => 'bad-hash', 'NPM_BAD_HASH'],
    ]
    test('name package and cause when the registry answers badly, and work when tried again', async () => {
      const bench = await start()
      const notebook = bench.open()
      for (const [name, fault, code] of faults) {
        bench.registry.publish(name, '1.0.0').fault = fault
        expect(await notebook.execute(`import "npm:${name}@1"`), name).toMatchObject({ status: 'error', error: { name: 'NpmImportError', code, message: expect.stringContaining(`npm:${name}@1`) as string } })
        bench.registry.fault = () => undefined
        expect(await notebook.execute(`(await import("npm:${name}@1")).version`), name).toMatchObject({ status: 'ok', result: '\'1.0.0\'' })
      }
      expect(bench.list('staging')).toEqual([])
      expect(bench.installers()).toEqual([])
    })

    test.each<[string, (path: string) => Fault | undefined]>([
      ['is silent', () => 'silent'],
      ['sends a byte a second', tarball('drip')],
    ])('give up with a named cause when the registry %s, and work when tried again', async (_what, fault) => {
      const bench = await start()
      bench.registry.fault = fault
      const notebook = bench.open({ stallMs: 3000 })
      expect(await notebook.execute(IMPORT)).toMatchObject({ status: 'error', error: { name: 'NpmImportError', code: 'NPM_TIMEOUT', message: expect.stringContaining('npm:plain@1.0.0') as string } })
      await until('the installer is gone', () => bench.installers().length === 0)
      expect([...bench.list('entries'), ...bench.list('staging')]).toEqual([])
      bench.registry.fault = () => undefined
      expect(await bench.open().execute(IMPORT)).toMatchObject({ status: 'ok', result: '\'1.0.0\'' })
    })

    test('live through a registry that fails for a moment', async () => {
      const bench = await start()
      let failures = 2
      bench.registry.fault = () => failures-- > 0 ? 500 : undefined
      expect(await bench.open().execute(IMPORT)).toMatchObject({ status: 'ok' })
    })

    test('say that they are at work, end at once with their cell, and can be tried again', async () => {
      const bench = await start()
      bench.registry.fault = () => 'silent'
      const notebook = bench.open()
      await notebook.start()
      const cancel = new AbortController()
      let said = ''
      const running = notebook.execute(IMPORT, { signal: cancel.signal, onStream: text => { said += text } })
      await until('progress is reported', () => said.includes('npm:plain@1.0.0: installing'))
      expect(bench.installers().length).toBeGreaterThan(0)
      cancel.abort()
      expect(await running).toMatchObject({ status: 'aborted' })
      await until('the installer is gone', () => bench.installers().length === 0)
      await until('its folder is gone', () => bench.list('staging').length === 0)
      bench.registry.fault = () => undefined
      expect(await notebook.execute(IMPORT)).toMatchObject({ status: 'ok' })
    })

    test('detect a damaged entry, set it aside and install it again', async () => {
      const bench = await start()
      await bench.open().execute(IMPORT)
      const entry = bench.list('entries')[0] ?? ''
      const index = join(entry, 'node_modules/plain/index.js')
      const damages: (() => void)[] = [
        () => writeFileSync(index, 'export const version = "forged"\n'),
        () => rmSync(index),
        () => truncateSync(join(entry, 'manifest.json'), 40),
        () => { rmSync(entry, { recursive: true }); mkdirSync(entry) },
      ]
      for (const [round, damage] of damages.entries()) {
        damage()
        const result = await bench.open().execute(IMPORT)
        expect(result).toMatchObject({ status: 'ok', result: '\'1.0.0\'' })
        expect(result.stderr).toContain('is damaged')
        expect(bench.list('aside')).toHaveLength(round + 1)
      }
      expect(bench.list('entries')).toEqual([entry])
      expect(bench.list('staging')).toEqual([])
    })

    test('leave no half entry when the guest is killed in the middle, and sweep what it left', async () => {
      const bench = await start()
      for (const delay of [40, 150, 400]) {
        const notebook = bench.open()
        await notebook.start()
        bench.registry.fault = path => path.includes('/-/') && delay > 100 ? 'silent' : undefined
        const running = notebook.execute('await import("npm:plain@1.0.0"); await new Promise(() => {})').catch((error: unknown) => error)
        await until('an install has begun', () => bench.list('staging').length > 0 || bench.list('entries').length > 0)
        await pause(delay)
        notebook.kill()
        await running
      }
      bench.registry.fault = () => undefined
      await until('the installers are gone', () => bench.installers().length === 0)
      const after = bench.open()
      expect(await after.execute(IMPORT)).toMatchObject({ status: 'ok', result: '\'1.0.0\'' })
      await until('the staging folders of the dead are swept', () => bench.list('staging').length === 0)
      expect(bench.list('entries')).toHaveLength(1)
      expect(bench.list('aside')).toEqual([])
    })

    test('of several guests at once install one entry and ask the registry once', async () => {
      const bench = await start()
      const notebooks = Array.from({ length: 4 }, () => bench.open())
      await Promise.all(notebooks.map(notebook => notebook.start()))
      const results = await Promise.all(notebooks.map(notebook => notebook.execute(IMPORT)))
      for (const result of results) expect(result).toMatchObject({ status: 'ok', result: '\'1.0.0\'' })
      expect(bench.list('entries')).toHaveLength(1)
      expect(bench.list('staging')).toEqual([])
      expect(bench.registry.requests.filter(request => request.includes('/-/'))).toHaveLength(1)
    })

    test('name the folder when the cache cannot be made there', async () => {
      const bench = await start()
      const file = join(bench.home, 'file')
      writeFileSync(file, '')
      const result = await bench.open({}, { PI_RLM_NPM_CACHE_DIR: join(file, 'cache') }).execute(IMPORT)
      expect(result).toMatchObject({ status: 'error', error: { code: 'NPM_NO_ACCESS', message: expect.stringContaining(file) as string } })
    })
  })
}
