import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scan } from '../../guest/store/format.ts'
import { preset } from '../../presets/default.ts'
import { cli } from '../cli/support/cli.ts'
import { openEngine } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openNotebook } from './support/store.ts'

async function sampleState(): Promise<string> {
  const path = join(temporaryFolder(), 'state')
  const book = openNotebook(path)
  book.set('a', { n: 1 })
  book.set('twin', [book.get('a')])
  await book.store.save()
  book.set('text', 'x'.repeat(100_000))
  book.set('f', () => 1)
  await book.store.save()
  book.store.close()
  return path
}

test('shows generations, names, types, sizes and hashes, what was not saved, and the verdict', async () => {
  const path = await sampleState()
  const { code, stdout } = await cli(['state', path])
  expect(code).toBe(0)
  for (const text of [`${path}: sound`, 'GENERATION', 'shares objects with a', 'seroval/1', 'text', 'string', 'f is a function']) expect(stdout).toContain(text)
  const { stdout: json } = await cli(['state', path, '--json', '--generation', '1'])
  expect(JSON.parse(json)).toMatchObject({ verdict: 'sound', generation: 1, generations: [{ number: 1, names: 2 }, { number: 2, parent: 1, names: 3 }], names: [{ name: 'a', with: ['twin'], bytes: 'sound' }, { name: 'twin' }] })
})

test('says what is damaged and exits with 1; with --repair sets it aside and goes back to what is sound', async () => {
  const path = await sampleState()
  const file = join(path, 'log')
  const whole = readFileSync(file)
  appendFileSync(file, Buffer.alloc(100, 7))
  writeFileSync(join(path, 'blobs', 'f'.repeat(64)), 'stray')
  expect(await cli(['state', path])).toMatchObject({ code: 1, stdout: expect.stringContaining('do not verify') as string })
  const { code, stdout } = await cli(['state', path, '--repair'])
  expect(code).toBe(0)
  expect(stdout).toContain('Cut 100 bytes')
  expect(stdout).toContain('Removed 1 file')
  expect(readFileSync(file).equals(whole)).toBe(true)
  expect(readdirSync(path).some(name => name.startsWith('log.corrupt-'))).toBe(true)
})

test('sets a damaged file of a value aside, goes on without its name, and then has nothing more to repair', async () => {
  const path = await sampleState()
  const [blob = ''] = readdirSync(join(path, 'blobs'))
  writeFileSync(join(path, 'blobs', blob), 'not what was written')
  expect(await cli(['state', path])).toMatchObject({ code: 1, stdout: expect.stringMatching(/: damaged; --repair .*\n {2}the bytes of 'text' are damaged/) as string })
  const repaired = await cli(['state', path, '--repair'])
  expect(repaired).toMatchObject({ code: 0, stdout: expect.stringContaining('Generation 3 goes on without text') as string })
  const aside = readdirSync(path).find(name => name.includes('.corrupt-')) ?? ''
  expect(readFileSync(join(path, aside), 'utf8')).toBe('not what was written')
  const { code, stdout } = await cli(['state', path])
  expect(code).toBe(0)
  for (const text of [`${path}: sound\n`, `set aside: ${aside}`, 'text was lost: its bytes on disk were damaged']) expect(stdout).toContain(text)
  const earlier = await cli(['state', path, '--generation', '2'])
  expect(earlier).toMatchObject({ code: 1, stdout: expect.stringContaining(`${path}: damaged\n`) as string })
  expect(earlier.stdout).toContain("the bytes of 'text' are missing")
  expect((await cli(['state', path, '--repair'])).stdout).not.toMatch(/Generation \d+ goes|Set aside a/)
  const engine = openEngine({ preset, snapshot: { path } })
  expect(await engine.restoreState()).toMatchObject({ generation: 3, held: [], lost: expect.arrayContaining([{ name: 'text', reason: expect.stringContaining('was lost') as string }]) as object })
  expect(await engine.execute('a.n')).toMatchObject({ result: '1' })
  await engine.dispose()
})

test('goes on without a name whose bytes in the log are damaged', async () => {
  const path = await sampleState()
  const file = join(path, 'log')
  const bytes = readFileSync(file)
  const [{ from } = { from: 0 }] = scan(bytes).found.flatMap(({ record, bytes: place }) => record.type === 'value' && record.names.includes('a') ? [place] : [])
  bytes[from] = 0xff
  writeFileSync(file, bytes)
  expect(await cli(['state', path])).toMatchObject({ code: 1, stdout: expect.stringContaining('; --repair') as string })
  expect(await cli(['state', path, '--repair'])).toMatchObject({ code: 0, stdout: expect.stringContaining('goes on without a, twin') as string })
  expect(await cli(['state', path])).toMatchObject({ code: 0, stdout: expect.stringContaining(`${path}: sound\n`) as string })
  const before = readdirSync(path)
  await cli(['state', path, '--repair'])
  expect(readdirSync(path)).toEqual(before)
})

test('sets a damaged list of forgotten names aside once', async () => {
  const path = await sampleState()
  writeFileSync(join(path, 'forgotten'), Buffer.alloc(50, 7))
  expect(await cli(['state', path])).toMatchObject({ code: 1, stdout: expect.stringContaining('; --repair') as string })
  expect(await cli(['state', path, '--repair'])).toMatchObject({ code: 0, stdout: expect.stringContaining('forgotten may be there again') as string })
  expect(await cli(['state', path])).toMatchObject({ code: 0, stdout: expect.stringContaining('set aside: forgotten.corrupt-') as string })
})

test('prints one value, also of an earlier generation, and changes nothing', async () => {
  const path = join(temporaryFolder(), 'state')
  const engine = openEngine({ preset, snapshot: { path } })
  await engine.execute('n = { a: [1] }; s = "plain"; m = new Map([[1, 2]])')
  await engine.snapshotState()
  await engine.execute('n = { a: [2] }')
  await engine.snapshotState()
  await engine.dispose()
  const before = readFileSync(join(path, 'log'))
  expect(JSON.parse((await cli(['state', path, '--export', 'n'])).stdout)).toEqual({ a: [2] })
  expect(JSON.parse((await cli(['state', path, '--export', 'n', '--generation', '1', '--json'])).stdout)).toEqual({ name: 'n', value: { a: [1] } })
  expect((await cli(['state', path, '--export', 's'])).stdout).toBe('plain\n')
  expect((await cli(['state', path, '--export', 'm'])).stdout).toBe('Map(1) { 1 => 2 }\n')
  expect(readFileSync(join(path, 'log')).equals(before)).toBe(true)
})

test.each([
  [['state'], 'needs the path'], [['state', '/nowhere/at/all'], 'no such folder'], [['state', '.', 'more'], 'takes one folder'],
  [['state', '.', '--generation', 'x'], '--generation'], [['state', '.', '--export', 'nothing'], "has no 'nothing'"],
])('refuses %j with 2 and says what is wrong', async (argv, text) => {
  const { code, stderr } = await cli(argv)
  expect([code, stderr]).toEqual([2, expect.stringContaining(text)])
})
