import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { Cli, cli, ROOT } from './support/cli.ts'
import { writePreset } from './support/presets.ts'

/** Runs it and expects one clear message, no stack, and an exit code that says what kind of failure it is. */
async function refused(args: readonly string[], code: 1 | 2, message: RegExp, { input = '1', env = {} }: { input?: string | Buffer; env?: Record<string, string> } = {}): Promise<void> {
  const finished = await cli(args, input, { env })
  expect(finished.stderr).toMatch(message)
  expect(finished.stderr).not.toMatch(/^\s+at .*\.js:\d+/m)
  expect(finished.stderr).not.toContain('(node:')
  expect(finished.code).toBe(code)
}

describe('asked for wrongly, it names the thing and ends with 2', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['an unknown command', ['rnu', 'x.ts'], /unknown command 'rnu'. Did you mean 'run'/],
    ['an unknown flag', ['exec', '--snapshto', 'x'], /unknown flag '--snapshto'. Did you mean '--snapshot'/],
    ['a flag that is near to none, with no guess', ['run', '--frob'], /unknown flag '--frob'\. Known: /],
    ['an unknown flag without a command, by the flags there are without one', ['--jsn'], /Did you mean '--json'\? Known: (?!.*(--repair|--export|--generation))/],
    ['an unknown flag before a command, by the flags of that command', ['--repiar', 'state', '.'], /Did you mean '--repair'\? Known: (?!.*--snapshot)/],
    ['an unknown flag before the command', ['--prest', 'node', 'exec'], /unknown flag '--prest'. Did you mean '--preset'/],
    ['a flag of another command', ['run', '--version'], /unknown flag '--version'/],
    ['a preset that does not exist', ['--preset', 'defualt'], /unknown preset 'defualt'. Did you mean 'default'/],
    ['a preset file that does not exist', ['--preset', './no/such.js'], /preset '\.\/no\/such\.js' does not exist: there is no file/],
    ['a preset that is a folder', ['--preset', './kernel'], /is not a file/],
    ['a module that exports no preset', ['--preset', './build.mjs', '--help-me'], /unknown flag/],
    ['a folder that is not there', ['--cwd', '/no/such/folder'], /--cwd '\/no\/such\/folder' does not exist/],
    ['a folder that is a file', ['--cwd', 'package.json'], /package\.json' is not a directory/],
    ['a number that is none', ['--max-output', 'many'], /--max-output must be a whole number above 0, got 'many'/],
    ['a program that does not exist', ['run', 'no-such.ts'], /cannot read 'no-such\.ts': there is no such file/],
    ['a program that is a folder', ['run', 'kernel'], /cannot read 'kernel': it is a folder/],
    ['no program at all', ['run'], /run needs a file/],
    ['a file for exec', ['exec', 'x.ts'], /exec takes no file, got 'x\.ts'/],
    ['an argument for the doctor', ['doctor', 'x'], /doctor takes no arguments, got 'x'/],
    ['a state folder that cannot be made', ['--snapshot', '/proc/no/state'], /--snapshot '\/proc\/no\/state' cannot be used/],
    ['a state folder that is a file', ['--snapshot', 'package.json'], /--snapshot '.*package\.json' cannot be used/],
  ])('%s', (_, args, message) => refused(args, 2, message))

  test('a variable that does not parse', () => refused([], 2, /PI_RLM_CELL_TIMEOUT_MS is 'soon'; it must be a whole number/, { env: { PI_RLM_CELL_TIMEOUT_MS: 'soon' } }))
  test('a preset of the environment that does not exist', () => refused([], 2, /unknown preset 'nod'. Did you mean 'node'/, { env: { PI_RLM_PRESET: 'nod' } }))
  test('a program that is no text', () => {
    const file = join(temporaryFolder(), 'x.ts')
    writeFileSync(file, Buffer.from([0x31, 0xff]))
    return refused(['run', file], 2, /not text in UTF-8/)
  })
  test('piped input that is no text', () => refused([], 2, /standard input is not text in UTF-8/, { input: Buffer.from([0xff, 0xfe]) }))
  test('a plugin with a wrong option, by plugin and field', () => {
    const preset = writePreset(temporaryFolder(), 'wrong.mjs', 'export const preset = definePreset({ name: "wrong", runtime: node(), plugins: [outputCaps({ stdot: 1 })] })')
    return refused(['--preset', preset], 2, /wrong\.mjs' cannot be loaded: options of plugin 'output-caps': unknown option 'stdot'/)
  })
  test('a preset that is broken, one that is none, and one that lists a plugin twice', async () => {
    const folder = temporaryFolder()
    const [broken, none] = [join(folder, 'broken.mjs'), join(folder, 'none.mjs')]
    writeFileSync(broken, 'export const preset = {')
    writeFileSync(none, 'export const prset = {}')
    await refused(['--preset', broken], 2, /broken\.mjs' cannot be loaded: /)
    await refused(['--preset', none], 2, /none\.mjs' exports no preset\. Export one as `preset`/)
    await refused(['--preset', writePreset(folder, 'twice.mjs', 'export const preset = definePreset({ name: "twice", runtime: node(), plugins: [outputCaps(), outputCaps()] })')], 2, /lists plugin 'output-caps' twice/)
  })
  test('a preset with something in it that is no plugin, or a factory that was not called', async () => {
    const folder = temporaryFolder()
    const preset = (name: string, runtime: string, plugins: string): string => writePreset(folder, `${name}.mjs`, `export const preset = definePreset({ name: "mine", runtime: ${runtime}, plugins: [${plugins}] })`)
    await refused(['--preset', preset('factory', 'node()', 'outputCaps(), outputCaps')], 2, /plugin 2 of preset 'mine' is a function \(output-caps\): call it/)
    await refused(['--preset', preset('stranger', 'node()', '{}')], 2, /plugin 1 of preset 'mine' is no plugin; make one with definePlugin/)
    await refused(['--preset', preset('runtime', 'node', 'outputCaps()')], 2, /the runtime of preset 'mine' is a function: call it/)
  })
  test('a preset in a folder that knows no pi-rlm', async () => {
    const lonely = join(temporaryFolder(), 'lonely.mjs')
    writeFileSync(lonely, 'import { definePreset } from "pi-rlm"\nexport const preset = definePreset({})')
    await refused(['--preset', lonely], 2, /Cannot find package 'pi-rlm'.* Install it in the preset's folder: npm install pi-rlm/)
  })
})

describe('when the notebook cannot be started, it says why and ends with 1', () => {
  test('a bun that is missing', () => {
    const preset = writePreset(temporaryFolder(), 'p.mjs', 'export const preset = { ...standard, name: "p", runtime: bun({ path: "/no/such/bun" }) }')
    return refused(['--preset', preset], 1, /bun was not found at '\/no\/such\/bun'\. Install it with .* or use the preset 'node'/)
  })
  test('a bun that is broken', () => {
    const folder = temporaryFolder()
    const program = join(folder, 'bun')
    writeFileSync(program, '#!/bin/sh\necho "cannot load libfoo" >&2\nexit 127\n')
    chmodSync(program, 0o755)
    const preset = writePreset(folder, 'p.mjs', `export const preset = { ...standard, name: "p", runtime: bun({ path: ${JSON.stringify(program)} }) }`)
    return refused(['--preset', preset], 1, /ended before it was ready: exit code 127\.\ncannot load libfoo/)
  })
  test('in exec it is also told as a line, so that a program can read it', async () => {
    const preset = writePreset(temporaryFolder(), 'p.mjs', 'export const preset = { ...standard, name: "p", runtime: bun({ path: "/no/such/bun" }) }')
    const { code, stdout } = await cli(['exec', '--preset', preset], '{"id":1,"code":"1"}\n')
    expect(JSON.parse(stdout)).toEqual({ event: 'error', message: expect.stringContaining('/no/such/bun') as string })
    expect(code).toBe(1)
  })
  test('a cell of 10 MB, by its size and the limit', () => refused([], 1, /the cell has 10000002 characters; the limit is \d+/, { input: `"${'x'.repeat(10_000_000)}"` }))
})

describe('presets from elsewhere', () => {
  test('work by file, with plugins of their own', async () => {
    const folder = temporaryFolder()
    writePreset(folder, 'mine.mjs', `
      const shout = definePlugin({ name: 'shout', host: host => { host.hooks.onOutput.tap('shout', chunk => ({ ...chunk, text: chunk.text.toUpperCase() })) } })
      export const preset = definePreset({ name: 'mine', runtime: node(), plugins: [...standard.plugins, shout()] })`)
    expect(await cli(['--preset', './mine.mjs'], 'console.log("quiet"); 1', { cwd: folder })).toMatchObject({ code: 0, stdout: 'QUIET\n1\n', stderr: '' })
  })
  test('in TypeScript are refused by a host that cannot load them, with what to do', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'mine.ts'), 'export const preset: number = 1')
    const { code, stderr } = await cli(['--preset', './mine.ts'], '', { cwd: folder })
    expect(stderr).toMatch(/which this host \(node 2\d.*\) cannot load\. Compile it|exports no preset/)
    expect(code).toBe(2)
  })
})

test('a state folder in use is told, and the notebook runs without saving', async () => {
  const state = join(temporaryFolder(), 'state')
  mkdirSync(state, { mode: 0o700 })
  const first = new Cli(['exec', '--snapshot', state])
  first.send({ id: 1, code: 'let a = 1' }, { id: 's', op: 'snapshot' })
  await first.line('the first has saved', line => line['id'] === 's')
  const { code, stdout, stderr } = await cli(['--snapshot', state], 'a + 1')
  expect([code, stdout]).toEqual([0, '2\n'])
  expect(stderr).toMatch(/in use by/)
  await first.end()
})

test('help and version are answered without a notebook', async () => {
  expect((await cli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  for (const args of [['--help'], ['run', '--help'], ['exec', '-h'], ['doctor', '--help'], ['help', 'exec']]) {
    expect(await cli(args), args.join(' ')).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^Usage: pi-rlm/) as string })
  }
  expect(existsSync(join(ROOT, '.pi-rlm'))).toBe(false)
})

test('help says which flags the doctor takes, and what becomes of what a piped cell has not awaited', async () => {
  expect((await cli(['doctor', '--help'])).stdout).toMatch(/^Usage: pi-rlm doctor \[FLAGS\]\n[^]*--preset[^]*--cwd/)
  expect((await cli(['--help'])).stdout).toContain('What it has not awaited when it ends is cut off\nwith the process.')
})
