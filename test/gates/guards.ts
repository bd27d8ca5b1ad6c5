import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import type { Gate, Guard } from './gate.ts'
import { everyGate, selected } from './registry.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const SOURCES = ['kernel', 'guest', 'plugins', 'presets', 'test', 'build', 'build.mjs', 'package.json', 'vitest.config.ts', 'tsconfig.json', 'tsconfig.base.json', 'tsconfig.build.json']

interface Outcome { readonly title: string; readonly status: string; readonly failureMessages: readonly string[] }

/** Runs a gate's short form in a copy of the sources without one guard; answers how it failed on each guest. */
function without(gate: Gate, guard: Guard): string[] {
  const copy = temporaryFolder()
  for (const entry of SOURCES) cpSync(join(root, entry), join(copy, entry), { recursive: true, filter: path => !path.includes('/node_modules') })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const { file, find, replace } of guard.edits) {
    const path = join(copy, file)
    writeFileSync(path, readFileSync(path, 'utf8').replace(find, () => replace))
  }
  const out = join(copy, 'result.json')
  const env = { ...process.env, PI_RLM_GATES: 'short', PI_RLM_GATE_NAMES: gate.name }
  spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'test/gates/gates.test.ts', '--reporter=json', `--outputFile=${out}`], { cwd: copy, env, stdio: 'ignore' })
  const { testResults } = JSON.parse(readFileSync(out, 'utf8')) as { testResults: readonly { assertionResults: readonly Outcome[] }[] }
  const runs = testResults.flatMap(file => file.assertionResults).filter(({ title }) => title.startsWith(gate.bar))
  expect(runs.length).toBeGreaterThan(0)
  return runs.filter(({ status }) => status === 'failed').map(({ title, failureMessages: [message = ''] }) => `${/\((\w+)\)$/.exec(title)?.[1]}: ${message.split('\n')[0]}`)
}

for (const gate of selected(await everyGate())) {
  describe(`gate ${gate.name}`, () => {
    for (const guard of gate.guards) {
      test(`fails with ${guard.takenOut} taken out`, () => {
        const failures = without(gate, guard)
        console.log(`${gate.name} | ${guard.takenOut} | ${failures.join(' / ') || 'STILL PASSES'}`)
        expect(failures).not.toEqual([])
      })
    }
  })
}
