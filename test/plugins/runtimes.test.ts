import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { definePreset } from '../../kernel/index.ts'
import { declarations } from '../../plugins/declarations/index.ts'
import { bun } from '../../plugins/runtimes/bun.ts'
import { findBun } from '../../plugins/runtimes/find-bun.ts'
import { openEngine } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'

const failureOf = (path: string): Promise<unknown> => openEngine({ preset: definePreset({ name: 'own bun', runtime: bun({ path }), plugins: [declarations()] }) }).start().then(() => null, (error: unknown) => error)

function program(text: string): string {
  const path = join(temporaryFolder(), 'bun')
  writeFileSync(path, text)
  chmodSync(path, 0o755)
  return path
}

test('a bun that is missing, a folder, not executable, or too old is named, with what to do', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'bun'))
  const plain = program('')
  chmodSync(plain, 0o644)
  expect(await failureOf('/nowhere/bun')).toMatchObject({ code: 'RUNTIME_MISSING', message: expect.stringContaining('/nowhere/bun') as string })
  expect(await failureOf(join(folder, 'bun'))).toMatchObject({ code: 'RUNTIME_MISSING', message: expect.stringContaining('a directory') as string })
  expect(await failureOf(program('#!/bin/sh\nexit 1\n'))).toMatchObject({ code: 'START_FAILED', message: expect.stringContaining('exit code 1') as string })
  expect(bun().refuses?.('bun 1.3.9')).toContain('bun 1.4 or newer')
  expect(bun().refuses?.('bun 1.4.0')).toBeUndefined()
})

test('the stub that bun\'s package leaves without its install script is not taken for bun', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'bun'), 'echo stub', { mode: 0o755 })
  expect(findBun(undefined, { PATH: folder })).not.toBe(join(folder, 'bun'))
})
