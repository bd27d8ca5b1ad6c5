import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { renderReport, type Report } from '../../presets/cli/doctor/report.ts'
import { temporaryFolder } from '../support/folder.ts'
import { cli } from './support/cli.ts'
import { writePreset } from './support/presets.ts'

test('the doctor finds programs, tries every preset, and measures the folders', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'pi-rlm'), { recursive: true })
  writeFileSync(join(folder, 'pi-rlm', 'history'), 'x'.repeat(100))
  const { code, stdout, stderr } = await cli(['doctor', '--json'], '', { env: { XDG_STATE_HOME: folder, PI_RLM_MAX_DEPTH: '3' } })
  const report = JSON.parse(stdout) as Report
  expect(report).toMatchObject({ ok: true, preset: 'default', variables: [{ name: 'PI_RLM_MAX_DEPTH', value: '3' }] })
  expect(report.programs.map(({ name }) => name)).toEqual(['bun', 'node', 'pi (package)', 'pi (program)'])
  expect(report.guests.map(({ preset }) => preset)).toEqual(expect.arrayContaining(['bare', 'default', 'node']))
  for (const guest of report.guests) expect(guest).toMatchObject({ runtime: expect.stringMatching(/^(bun|node) \d/) as string })
  expect(report.folders[0]).toMatchObject({ path: join(folder, 'pi-rlm'), exists: true, files: 1, bytes: 100 })
  expect([code, stderr]).toEqual([0, ''])
})

test('the doctor says what is missing and ends with 1 when the notebook cannot be opened', async () => {
  const preset = writePreset(temporaryFolder(), 'p.mjs', 'export const preset = { ...standard, name: "p", runtime: bun({ path: "/no/such/bun" }) }')
  const { code, stdout } = await cli(['doctor', '--preset', preset], '', { env: { PI_RLM_FORCE: 'maybe' } })
  expect(stdout).toMatch(/bun was not found at '\/no\/such\/bun'\. Install it with/)
  expect(stdout).toMatch(/PI_RLM_FORCE is 'maybe'; it must be 1 or 0/)
  expect(stdout).toContain('The notebook cannot be opened with preset')
  expect(code).toBe(1)
})

describe('a report', () => {
  const report: Report = { version: '1.0.0', host: { name: 'node', version: '20.0.0', path: '/bin/node' }, preset: 'default', ok: true, programs: [], guests: [], variables: [], folders: [] }
  test('tells how to get what is missing', () => {
    const text = renderReport({ ...report, programs: [{ name: 'bun', path: null, version: null, problem: 'not found', advice: 'npm install bun' }] })
    expect(text).toContain('Missing or wrong\n  bun: not found\n    To get it: npm install bun\n')
  })
  test('keeps what is optional apart from what is missing', () => {
    const text = renderReport({ ...report, programs: [{ name: 'pi (program)', path: null, version: null, problem: 'not found on PATH', advice: 'npm install -g pi', optional: true }] })
    expect(text).not.toContain('Missing')
    expect(text).toContain('Optional, and not there\n  pi (program): not found on PATH\n    To get it: npm install -g pi\n')
  })
  test('says nothing of problems where there are none', () => {
    const text = renderReport({ ...report, folders: [{ what: 'history', path: '/s', exists: true, files: 1, bytes: 2_000 }] })
    expect(text).not.toContain('Missing')
    expect(text).toContain('history  2.0 KB in 1 file  /s')
  })
})
