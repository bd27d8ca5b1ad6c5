import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EngineManager } from '../../kernel/index.ts'
import { preset as onBun } from '../../presets/default.ts'
import { preset as onNode } from '../../presets/node.ts'
import { scripted } from '../subagents/support/agent-plugin.ts'
import { agents, type Behaviour, PRELUDE } from './behaviour.ts'
import { behaviours } from './behaviours.ts'

/** Cases with equal settings share a notebook, as they would in a session. */
const groups = new Map<string, Behaviour[]>()
for (const each of behaviours) {
  const key = JSON.stringify([each.agent ?? 'plain', each.options ?? {}])
  groups.set(key, [...groups.get(key) ?? [], each])
}

/** What is expected, with text in slashes as a pattern. */
function pattern(expected: unknown): unknown {
  if (typeof expected === 'string' && /^\/.+\/$/s.test(expected)) return expect.stringMatching(new RegExp(expected.slice(1, -1), 's'))
  if (Array.isArray(expected)) return expected.map(pattern)
  return expected
}

for (const preset of [onBun, onNode]) {
  for (const [key, members] of groups) {
    describe(`children under ${preset.name}, ${key}`, () => {
      const { agent = 'plain', options = {} } = members[0] ?? {}
      let engine: EngineManager
      beforeAll(async () => {
        engine = new EngineManager({ preset, plugins: [scripted(agents[agent])], options: { subagents: { maxTotal: 0, ...options } } })
        expect(await engine.execute(PRELUDE)).toMatchObject({ status: 'ok' })
      })
      afterAll(() => engine.dispose())
      for (const each of members) test(`${each.id} ${each.title}`, () => shows(engine, each))
    })
  }
}

async function shows(engine: EngineManager, { id, cells, value, error, notices = [] }: Behaviour): Promise<void> {
  const told: string[] = []
  for (const [index, cell] of cells.entries()) {
    const { code, abortAfterMs } = typeof cell === 'string' ? { code: cell, abortAfterMs: undefined } : cell
    const abort = new AbortController()
    const timer = abortAfterMs === undefined ? undefined : setTimeout(() => abort.abort(), abortAfterMs)
    const result = await engine.execute(code, { cellId: `${id}-${index}`, json: true, signal: abort.signal })
    clearTimeout(timer)
    told.push(...result.notices)
    if (index < cells.length - 1) continue
    if (error === undefined) expect(result).toMatchObject({ status: 'ok', value: pattern(value) })
    else expect(result).toMatchObject({ status: 'error', error: { code: error[0], message: expect.stringMatching(error[1]) as string } })
    for (const line of notices) expect(told).toContainEqual(expect.stringMatching(line))
  }
}
