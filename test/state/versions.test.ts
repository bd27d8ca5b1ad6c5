import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scan } from '../../guest/store/format.ts'
import { preset as bun } from '../../presets/default.ts'
import { preset as node } from '../../presets/node.ts'
import { openEngine } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'

const folder = new URL('./versions/', import.meta.url).pathname
const NAMES = ['text', 'data', 'loop', 'failure', 'views']
/** States that four runtimes wrote: `native` in a format of their own, `portable` in one that all read. */
const states = readdirSync(folder).filter(name => /\.(native|portable)$/.test(name))

const CHECK = `[text, data.shared === data.again, data.shared.n === 1n, data.shared.at.getTime(), data.map.size, String(data.pattern), new Uint8Array(data.bytes)[2], loop.self === loop, Object.is(loop.list[1], -0),
  loop.list[3].length, failure instanceof RangeError, failure.code, failure.cause.message, views[0].buffer === views[1].buffer, views[1].length].join()`
const EXPECTED = "'hello,true,true,5,1,/a(?<x>b)/giu,3,true,true,2,true,E_NO,root,true,3'"

function stateOf(name: string): string {
  const path = join(temporaryFolder(), 'state')
  mkdirSync(path, { mode: 0o700 })
  copyFileSync(join(folder, name), join(path, 'log'))
  return path
}

/** The bytes of each value in a log, by name. */
function bytesIn(path: string): Map<string, string> {
  const log = readFileSync(join(path, 'log'))
  return new Map(scan(log).found.flatMap(({ record, bytes }) => record.type === 'value' ? [[record.names.join(), log.subarray(bytes.from, bytes.to).toString('hex')] as const] : []))
}

const family = (name: string): string => name.split('-')[0] ?? ''

describe.each([bun, node])('on preset $name', preset => {
  const own = preset.runtime.name
  test.each(states.filter(name => name.endsWith('.portable') || family(name) === own))('brings back what %s holds, value for value', async name => {
    const engine = openEngine({ preset, snapshot: { path: stateOf(name) } })
    expect(await engine.restoreState()).toMatchObject({ restored: NAMES, held: [], failed: [] })
    expect(await engine.execute(CHECK)).toMatchObject({ result: EXPECTED })
  })

  test.each(states.filter(name => name.endsWith('.native') && family(name) !== own))('holds what %s holds bit for bit through five cycles, and the runtime that wrote it reads it again', async name => {
    const path = stateOf(name)
    const before = bytesIn(path)
    for (let cycle = 0; cycle < 5; cycle++) {
      const engine = openEngine({ preset, snapshot: { path } })
      expect((await engine.restoreState())?.held).toEqual(NAMES.map(held => ({ name: held, reason: expect.stringMatching(/^it was written by (bun|node) \d+/) as string })))
      if (cycle === 0) expect(await engine.execute('text')).toMatchObject({ status: 'error', error: { message: expect.stringContaining("'text' is kept on disk but cannot be read") as string } })
      await engine.execute(`cycle${cycle} = ${cycle}`)
      await engine.snapshotState()
      await engine.dispose()
    }
    for (const [names, bytes] of before) expect(bytesIn(path).get(names), names).toBe(bytes)
    const right = openEngine({ preset: family(name) === 'bun' ? bun : node, snapshot: { path } })
    expect(await right.restoreState()).toMatchObject({ held: [] })
    expect(await right.execute(`${CHECK} + cycle4`)).toMatchObject({ result: EXPECTED.replace(/'$/, "4'") })
  })
})
