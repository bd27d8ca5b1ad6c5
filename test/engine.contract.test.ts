import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Preset } from '../kernel/index.ts'
import type { ContractCase, ContractContext } from './contract/case.ts'
import { openEngine, openSupervisor } from './support/engine.ts'
import { temporaryFolder } from './support/folder.ts'
import { everyPreset } from './support/presets.ts'

const folder = new URL('./contract/', import.meta.url)
const files = readdirSync(folder).filter(name => name.endsWith('.ts') && name !== 'case.ts').sort()
const suites = await Promise.all(files.map(async file => ({ name: file.replace('.ts', ''), cases: ((await import(new URL(file, folder).href)) as { default: readonly ContractCase[] }).default })))

const contextOf = (preset: Preset): ContractContext => ({
  preset,
  engine: options => openEngine({ preset, ...options }),
  supervisor: options => openSupervisor({ preset, ...options }),
  folder: temporaryFolder,
})

const missing = (preset: Preset, { needs }: ContractCase): string[] => needs.filter(name => !preset.plugins.some(plugin => plugin.name === name))

for (const preset of await everyPreset()) {
  describe(`preset ${preset.name}`, () => {
    for (const { name, cases } of suites) {
      const fitting = cases.filter(item => missing(preset, item).length === 0)
      if (fitting.length === 0) continue
      describe(name, () => {
        for (const item of fitting) test(item.title, () => item.run(contextOf(preset)))
      })
    }
    test('leaves out a case only for a plugin it does not list', () => {
      const left = suites.flatMap(({ cases }) => cases).filter(item => missing(preset, item).length > 0)
      if (preset.name === 'default' || preset.name === 'node') expect(left.map(({ title }) => title)).toEqual([])
      else expect(left.every(item => item.needs.length > 0)).toBe(true)
    })
  })
}
