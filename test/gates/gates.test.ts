import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Preset } from '../../kernel/index.ts'
import { openEngine, openSupervisor } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { everyPreset } from '../support/presets.ts'
import type { Gate, GateContext } from './gate.ts'
import { asked, everyGate, full, selected } from './registry.ts'

const TIME_LIMIT = full ? 45 * 60_000 : 120_000

const presets = await everyPreset()
const gates = await everyGate()

async function pass(gate: Gate, preset: Preset): Promise<void> {
  const rounds = full ? gate.rounds.full : gate.rounds.short
  const figures: string[] = []
  let done = 0
  const context: GateContext = {
    preset, full, rounds,
    engine: options => openEngine({ preset, ...options }),
    supervisor: options => openSupervisor({ preset, ...options }),
    folder: temporaryFolder,
    done: (count = 1) => { done += count },
    figure: text => { figures.push(text) },
  }
  const startedAt = performance.now()
  try {
    await gate.run(context)
    expect(done, `rounds done of ${rounds} required`).toBeGreaterThanOrEqual(rounds)
  } finally {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    if (asked) console.log(`gate ${gate.name}, ${preset.name}: ${done} of ${rounds} rounds in ${seconds} s${figures.map(figure => `; ${figure}`).join('')}`)
  }
}

for (const gate of selected(gates)) {
  describe(`gate ${gate.name}`, () => {
    for (const preset of presets.filter(({ name }) => (gate.presets ?? ['default', 'node']).includes(name))) {
      test(`${gate.bar} (${preset.name})`, () => pass(gate, preset), TIME_LIMIT)
    }
  })
}

describe('the gates themselves', () => {
  test('have names of their own, and guards that are still in the sources', () => {
    expect(new Set(gates.map(({ name }) => name)).size).toBe(gates.length)
    for (const { name, guards } of gates) {
      for (const { file, find } of guards.flatMap(({ edits }) => edits)) {
        const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
        expect(source.split(find).length - 1, `${name}: '${find}' in ${file}`).toBe(1)
      }
    }
  })
})
