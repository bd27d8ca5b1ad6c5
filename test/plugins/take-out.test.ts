import { describe, expect, test } from 'vitest'
import { definePreset, type Plugin } from '../../kernel/index.ts'
import { preset as standard } from '../../presets/node.ts'
import { openEngine } from '../support/engine.ts'

const without = (name: string, ...more: Plugin[]) => definePreset({ ...standard, name: `without ${name}`, plugins: [...standard.plugins.filter(plugin => plugin.name !== name), ...more] })

/** For each feature: a cell that shows it, and what is seen once its plugin is taken out. */
const FEATURES: readonly { plugin: string; cell: string; shows: object; gone: object }[] = [
  { plugin: 'ts-strip', cell: 'const typed: number = 3; typed', shows: { status: 'ok', result: '3' }, gone: { status: 'error', error: { name: 'SyntaxError' } } },
  { plugin: 'memory', cell: 'typeof await rlm.names()', shows: { status: 'ok', result: '\'object\'' }, gone: { status: 'error' } },
  { plugin: 'output-caps', cell: 'console.log("x".repeat(100_000))', shows: { cut: { stdout: { total: 100_001 } } }, gone: { stdout: `${'x'.repeat(100_000)}\n` } },
  { plugin: 'shell', cell: 'typeof Bun.$', shows: { status: 'ok', result: '\'function\'' }, gone: { status: 'error' } },
  { plugin: 'npm-cache', cell: 'await import("npm:../x").catch(error => error.message)', shows: { result: expect.stringContaining('npm:../x') as string }, gone: { result: expect.not.stringContaining('is not a package name') as string } },
]

describe('a feature is a plugin', () => {
  for (const { plugin, cell, shows, gone } of FEATURES) {
    test(`${plugin} taken out of the list takes its feature along, and nothing else`, async () => {
      expect(standard.plugins.map(({ name }) => name)).toContain(plugin)
      expect(await openEngine({ preset: standard }).execute(cell)).toMatchObject(shows)
      const notebook = openEngine({ preset: without(plugin) })
      expect(await notebook.execute(cell)).toMatchObject(gone)
      expect(await notebook.execute('let after = 1; after')).toMatchObject({ status: 'ok', result: '1' })
    })
  }

  test('declarations taken out leaves names local to their cell', async () => {
    const notebook = openEngine({ preset: without('declarations') })
    await notebook.execute('let local = 1')
    expect(await notebook.execute('typeof local')).toMatchObject({ result: '\'undefined\'' })
  })
})
