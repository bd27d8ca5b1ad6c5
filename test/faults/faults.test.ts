import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openEngine, openSupervisor } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { everyPreset } from '../support/presets.ts'
import type { Scenarios } from './fault.ts'

interface FaultCase { readonly id: string; readonly kind: string; readonly scenario: string; readonly expect: string }

/** Far beyond what any case takes on a busy machine. */
const TIME_LIMIT = 180_000

const here = new URL('./', import.meta.url)
const tests = new URL('../', import.meta.url)
const text = (file: string): string => readFileSync(new URL(file, here), 'utf8')

const cases = text('cases.jsonl').trim().split('\n').map(line => JSON.parse(line) as FaultCase)
const leftOut = JSON.parse(text('left-out.json')) as Readonly<Record<string, string>>
const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.faults.ts') && !file.includes('node_modules')).sort()
const modules = await Promise.all(files.map(async file => ((await import(new URL(file, tests).href)) as { default: Scenarios }).default))
const scenarios = new Map(modules.flatMap(module => Object.entries(module)))
const presets = (await everyPreset()).filter(({ name }) => name === 'default' || name === 'node')

for (const preset of presets) {
  describe(`preset ${preset.name}`, () => {
    for (const { id, kind, scenario, expect: expected } of cases) {
      const run = scenarios.get(id)
      if (run === undefined) continue
      test(`${kind} ${id}: ${scenario} → ${expected}`, () => run({
        preset, folder: temporaryFolder,
        engine: options => openEngine({ preset, ...options }),
        supervisor: options => openSupervisor({ preset, ...options }),
      }), TIME_LIMIT)
    }
  })
}

test('every case runs, or is left out for a reason that is written down', () => {
  const missing = cases.filter(({ id }) => !scenarios.has(id) && leftOut[id] === undefined)
  expect(missing.map(({ id }) => id)).toEqual([])
  expect(Object.keys(leftOut).filter(id => !cases.some(each => each.id === id))).toEqual([])
  expect([...scenarios.keys()].filter(id => !cases.some(each => each.id === id))).toEqual([])
})
