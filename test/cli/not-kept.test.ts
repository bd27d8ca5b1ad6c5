import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { cli } from './support/cli.ts'

const CELL = 'class Point { x = 1 }; const point = new Point(); const work = () => 1; const kept = 2'
const SAID = /^Not saved: Point \(.*\), work \(is a function and cannot be saved\)\.\nSaved with a loss: point \(.*class is not\)\.\n$/

/** The three ways to a session that keeps its names. */
const SESSIONS = {
  exec: (state: string, code: string) => cli(['exec', '--snapshot', state], `${JSON.stringify({ id: 1, code })}\n`),
  run: (state: string, code: string) => {
    const file = join(temporaryFolder(), 'cells.ts')
    writeFileSync(file, code)
    return cli(['run', '--snapshot', state, file])
  },
  piped: (state: string, code: string) => cli(['--snapshot', state], code),
} as const

test.each(Object.keys(SESSIONS) as (keyof typeof SESSIONS)[])('a session by %s says at its end what it could not keep, and the next one says once what is gone', async way => {
  const state = join(temporaryFolder(), 'state')
  const open = SESSIONS[way]
  expect((await open(state, CELL)).stderr).toMatch(SAID)
  const second = await open(state, 'kept')
  expect(second.stdout + second.stderr).toMatch(/Not saved, so gone: .*work/)
  expect(second.stdout + second.stderr).not.toMatch(/Not saved: /)
  const third = await open(state, 'kept')
  expect(third.stdout + third.stderr).not.toMatch(/Not saved|Came back with a loss/)
  expect((await cli(['state', state])).stdout).toMatch(/Not kept:\n.*Point/)
  const fourth = await open(state, 'const other = () => 2')
  expect(fourth.stderr).toMatch(/^Not saved: other \(is a function and cannot be saved\)\.\n$/)
  const fifth = await open(state, 'kept')
  expect(fifth.stdout + fifth.stderr).toMatch(/Not saved, so gone: other \(is a function and cannot be saved\)\./)
})

test('a session lists only some of very many names that it could not keep', async () => {
  const { stderr } = await SESSIONS.piped(join(temporaryFolder(), 'state'), Array.from({ length: 40 }, (_, i) => `const f${i} = () => ${i}`).join(';'))
  expect(stderr).toMatch(/^Not saved: f0 .* and 28 more\.\n$/)
})
