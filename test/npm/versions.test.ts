import { describe, expect, test } from 'vitest'
import { Workbench, guests, openRegistry } from './support/notebook.ts'

const LATEST = '(await import("npm:moving")).version'
const RANGE = '(await import("npm:moving@^1")).version'

for (const preset of guests) {
  describe(`tags and ranges under preset ${preset.name}`, { timeout: 180_000 }, () => {
    const start = async () => {
      const bench = new Workbench(preset, await openRegistry())
      bench.registry.publish('moving', '1.0.0')
      return bench
    }

    test('keep their version while they are young, and are asked for again on request', async () => {
      const bench = await start()
      const notebook = bench.open()
      expect(await notebook.execute(`[${LATEST}, ${RANGE}].join()`)).toMatchObject({ result: '\'1.0.0,1.0.0\'' })
      bench.registry.publish('moving', '1.1.0').publish('moving', '2.0.0')
      expect(await notebook.execute(`[${LATEST}, ${RANGE}].join()`)).toMatchObject({ result: '\'1.0.0,1.0.0\'', stderr: '' })
      const other = bench.open()
      expect(await other.execute(LATEST)).toMatchObject({ result: '\'1.0.0\'' })
      await other.execute('await rlm.packages({ refresh: "npm:moving" })')
      const fresh = await other.execute(LATEST)
      expect(fresh).toMatchObject({ result: '\'2.0.0\'' })
      expect(fresh.stderr).toContain('npm:moving: moving 2.0.0')
      expect(await other.execute(RANGE)).toMatchObject({ result: '\'1.0.0\'' })
      await other.execute('await rlm.packages({ refresh: true })')
      expect(await other.execute(RANGE)).toMatchObject({ result: '\'1.1.0\'' })
      expect(await notebook.execute(`[${LATEST}, ${RANGE}].join()`)).toMatchObject({ result: '\'1.0.0,1.0.0\'', stderr: '' })
    })

    test('are asked for again when they are older than the preset allows, yet not within a session', async () => {
      const bench = await start()
      const running = bench.open({ maxAgeHours: 0 })
      await running.execute(LATEST)
      bench.registry.publish('moving', '2.0.0')
      expect(await running.execute(LATEST)).toMatchObject({ result: '\'1.0.0\'' })
      expect(await bench.open({ maxAgeHours: 0 }).execute(LATEST)).toMatchObject({ result: '\'2.0.0\'' })
    })

    test('fall back on what is cached when the registry cannot be reached, and say so', async () => {
      const bench = await start()
      await bench.open().execute(LATEST)
      await bench.registry.close()
      const stale = await bench.open({ maxAgeHours: 0 }).execute(LATEST)
      expect(stale).toMatchObject({ status: 'ok', result: '\'1.0.0\'' })
      const never = await bench.open().execute(RANGE)
      expect(never).toMatchObject({ status: 'ok', result: '\'1.0.0\'' })
      expect(never.stderr).toContain('moving 1.0.0')
      expect(await bench.open().execute('import "npm:moving@next"')).toMatchObject({ status: 'error', error: { name: 'NpmImportError' } })
      expect(await bench.open().execute('import "npm:absent"')).toMatchObject({ status: 'error', error: { code: 'NPM_NO_NETWORK', message: expect.stringContaining('npm:absent') as string } })
    })
  })
}
