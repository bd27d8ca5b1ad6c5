import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import type { Preset } from '../../kernel/index.ts'
import { openEngine } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'

/** The example as another project has it: a folder elsewhere, with this package in its node_modules. */
async function elsewhere(): Promise<Preset> {
  const folder = temporaryFolder()
  cpSync(fileURLToPath(new URL('../examples/third-party', import.meta.url)), folder, { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(fileURLToPath(new URL('../..', import.meta.url)), join(folder, 'node_modules/pi-rlm'))
  const { preset } = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'preset.js')).href) as { preset: Preset }
  return preset
}

test('a preset of another project brings its own runtime, transform, global, importer, host method and redaction', async () => {
  const notebook = openEngine({ preset: await elsewhere() })
  expect(await notebook.execute('hello world')).toMatchObject({ status: 'ok', result: '\'hello, world\'' })
  expect(await notebook.execute('[greeting, process.env.MARKED_RUNTIME].join()')).toMatchObject({ result: '\'good day,yes\'' })
  expect(await notebook.execute('import gift from "made:you"; gift')).toMatchObject({ result: '\'made for you\'' })
  expect(await notebook.execute('await clock.double({ n: 21 })', { json: true })).toMatchObject({ value: { twice: 42, cell: 4 } })
  expect(await notebook.execute('console.log("the password is", "password")')).toMatchObject({ stdout: 'the ******** is ********\n' })
  expect(await notebook.execute('await clock.double({ n: "x" }).catch(error => error.message)')).toMatchObject({ result: expect.stringContaining('clock.double({ n: number })') as string })
})

test('a serializer of another project keeps what it can and the rest is named', async () => {
  const preset = await elsewhere()
  const snapshot = { path: temporaryFolder() }
  const first = openEngine({ preset, snapshot })
  await first.execute('let text = "kept"; let list = [1]')
  const report = await first.snapshotState()
  expect(report.saved).toContain('text')
  expect(report.failed.map(({ name }) => name)).toContain('list')
  await first.dispose()
  const second = openEngine({ preset, snapshot })
  expect((await second.restoreState())?.restored).toEqual(['text'])
  expect(await second.execute('text')).toMatchObject({ result: '\'kept\'' })
})
