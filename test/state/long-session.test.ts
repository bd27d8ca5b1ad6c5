import { join } from 'node:path'
import { expect, test } from 'vitest'
import { preset as bun } from '../../presets/default.ts'
import { preset as node } from '../../presets/node.ts'
import { openEngine } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'

/** After these cells the notebook is restarted: disposed, killed while a large value is written, disposed. */
const RESTARTS: Readonly<Record<number, 'dispose' | 'kill'>> = { 75: 'dispose', 150: 'kill', 225: 'dispose' }
const CELLS = 300

test.each([bun, node])('300 cells over three restarts, one of them a kill in the middle of a write, end on preset $name with the state they would have had without', async preset => {
  const snapshot = { path: join(temporaryFolder(), 'state') }
  let engine = openEngine({ preset, snapshot })
  expect(await engine.restoreState()).toBeNull()
  await engine.execute('log = []; byTen = new Map(); shared = { n: 0 }; twin = [shared]; big = new Uint8Array(3_000_000)')
  for (let cell = 1; cell <= CELLS; cell++) {
    const ran = await engine.execute(`log.push(${cell}); byTen.set(${cell % 10}, (byTen.get(${cell % 10}) ?? 0) + ${cell}); shared.n += ${cell}; big[${cell}] = ${cell % 251}; last${cell % 7} = { cell: ${cell} }; null`)
    expect(ran.status, String(cell)).toBe('ok')
    const how = RESTARTS[cell]
    if (how === undefined) continue
    if (how === 'dispose') await engine.dispose()
    else {
      await engine.snapshotState()
      await engine.execute('big[0] += 1; null')
      const saving = engine.snapshotState().catch(() => null)
      process.kill(engine.guestPid ?? 0, 'SIGKILL')
      await saving
    }
    engine = openEngine({ preset, snapshot })
    expect(await engine.restoreState()).toMatchObject({ held: [], failed: [], lost: [] })
  }
  const check = '[log.length, log.at(-1), [...byTen.values()].join(), shared.n, twin[0] === shared, big.slice(1, 301).reduce((a, b) => a + b, 0), [last0, last1, last6].map(l => l.cell).join()]'
  const bySum = Array.from({ length: 10 }, (_, i) => (i + 1) % 10).map(digit => Array.from({ length: CELLS }, (_, i) => i + 1).filter(cell => cell % 10 === digit).reduce((a, b) => a + b, 0))
  const bytes = Array.from({ length: CELLS }, (_, i) => (i + 1) % 251).reduce((a, b) => (a + b), 0)
  expect((await engine.execute(check, { json: true })).value).toEqual([CELLS, CELLS, bySum.join(), CELLS * (CELLS + 1) / 2, true, bytes, [294, 295, 300].join()])
}, 120_000)
