import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { preset as bun } from '../../presets/default.ts'
import { preset as node } from '../../presets/node.ts'
import { openEngine } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { CHANGES } from './support/changes.ts'

const options = { autosave: { debounceMs: 3_600_000, maxWaitMs: 3_600_000, maxWaitCells: 1_000_000 } }

describe.each([bun, node])('on preset $name', preset => {
  test(`saves ${CHANGES.length} kinds of change that were made without naming what they change`, async () => {
    const snapshot = { path: join(temporaryFolder(), 'state') }
    const first = openEngine({ preset, snapshot, options })
    const run = async (code: string): Promise<void> => { expect(await first.execute(`${code}; null`), code).toMatchObject({ status: 'ok' }) }
    for (const [make] of CHANGES) await run(make)
    await first.snapshotState()
    // Names are touched by the cell that makes them: after this save none is.
    await first.snapshotState()
    for (const [, change] of CHANGES) await run(change)
    await first.snapshotState()
    first.kill()
    const second = openEngine({ preset, snapshot, options })
    await second.restoreState()
    for (const [make, change, check] of CHANGES) expect(await second.execute(check), `${make}; then ${change}`).toMatchObject({ result: 'true' })
  })

  test('brings back what require gave of the runtime, and refuses the global object by name', async () => {
    const snapshot = { path: join(temporaryFolder(), 'state') }
    const first = openEngine({ preset, snapshot, options })
    await first.execute('const os = require("node:os"); const all = globalThis')
    expect((await first.snapshotState()).failed).toMatchObject([{ name: 'all' }])
    first.kill()
    const second = openEngine({ preset, snapshot, options })
    await second.restoreState()
    expect(await second.execute('os.cpus().length > 0')).toMatchObject({ result: 'true' })
  })
})
