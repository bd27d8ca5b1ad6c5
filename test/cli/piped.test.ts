import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { cli } from './support/cli.ts'

const hasThreeDecimals = (value: number): boolean => Number(value.toFixed(3)) === value

describe.each(['default', 'node', 'bare'])('piped input, preset %s', preset => {
  test('is one cell: its output and its result are printed, and nothing else', async () => {
    expect(await cli(['--preset', preset], 'let x = 41\nconsole.log("hi")\nconsole.error("psst")\nx + 1')).toMatchObject({ code: 0, stdout: 'hi\n42\n', stderr: 'psst\n' })
  })
  test('that fails prints the error with its own lines and ends with 1', async () => {
    const { code, stdout, stderr } = await cli(['--preset', preset], 'process.stdout.write("before")\nthrow new TypeError("no")')
    expect([code, stdout]).toEqual([1, 'before'])
    expect(stderr).toMatch(/^TypeError: no\n {4}at cell 1:2:\d+\n$/)
  })
})

describe('piped input', () => {
  test('gives the whole result to a program that asks for JSON', async () => {
    const { code, stdout, stderr } = await cli(['--json'], 'console.log("hi"); ({ a: [1, null] })')
    expect(JSON.parse(stdout)).toMatchObject({ status: 'ok', stdout: 'hi\n', value: { a: [1, null] }, cell: { number: 1 }, durationMs: expect.toSatisfy(hasThreeDecimals) as number })
    expect([code, stderr]).toEqual([0, ''])
  })
  test('of nothing is a cell of nothing', async () => {
    expect(await cli([])).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })
  test('starts its result on a line of its own', async () => {
    expect(await cli([], 'process.stdout.write("open"); 1')).toMatchObject({ stdout: 'open\n1\n' })
  })
  test('shows escape sequences instead of sending them to the terminal', async () => {
    const { stdout, stderr } = await cli([], 'console.log("\\u001b[2J"); console.error("\\u001b[31m"); throw new Error("\\u001b]0;x\\u0007")')
    expect(stdout + stderr).not.toMatch(/[\u001b\u0007]/)
    expect(stdout + stderr).toContain('␛[2J')
  })
  test('is cut where it is asked to be', async () => {
    const { stdout } = await cli(['--max-output', '100'], 'console.log("x".repeat(5000))', { env: { TMPDIR: temporaryFolder() } })
    expect(stdout.length).toBeLessThan(600)
    expect(stdout).toContain('5,001 characters of stdout cut')
  })
  test.each([[[]], [['--json']]])('names a file with the whole of it that is there when the process has ended, %j', async flags => {
    const temporary = temporaryFolder()
    const { stdout } = await cli([...flags, '--max-output', '100'], 'console.log("x".repeat(5000)); "y".repeat(5000)', { env: { TMPDIR: temporary } })
    const files = [...stdout.matchAll(/the whole is in (\S+\.txt)/g)].map(([, file]) => file as string)
    expect(files.map(file => readFileSync(file, 'utf8'))).toEqual([`${'x'.repeat(5000)}\n`, `'${'y'.repeat(5000)}'`])
    expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^pi-rlm-output-/)])
  })
  test('leaves no folder behind when nothing was cut', async () => {
    const temporary = temporaryFolder()
    await cli([], '1', { env: { TMPDIR: temporary } })
    expect(readdirSync(temporary)).toEqual([])
  })
  test('runs in the folder it is given', async () => {
    const folder = temporaryFolder()
    expect((await cli(['--cwd', folder], 'console.log(process.cwd())')).stdout.trim()).toBe(folder)
  })
  test('ends at the time limit of the environment', async () => {
    const { code, stderr } = await cli([], 'await new Promise(() => {})', { env: { PI_RLM_CELL_TIMEOUT_MS: '300' } })
    expect([code, stderr]).toEqual([1, expect.stringContaining('CellTimeout')])
  })
  test('that kills its guest is told how it ended', async () => {
    const { code, stdout, stderr } = await cli([], 'console.log("last"); process.exit(3)')
    expect([code, stdout]).toEqual([1, 'last\n'])
    expect(stderr).toContain('exit code 3')
  })
})
