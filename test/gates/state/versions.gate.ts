import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { scan } from '../../../guest/store/format.ts'
import { preset as bun } from '../../../presets/default.ts'
import { preset as node } from '../../../presets/node.ts'
import type { Gate, GateContext } from '../gate.ts'

const folder = new URL('../../state/versions/', import.meta.url).pathname
const NAMES = ['text', 'data', 'loop', 'failure', 'views']
/** States that four runtimes wrote: `native` in a format of their own, `portable` in one that all read. */
const states = readdirSync(folder).filter(name => /\.(native|portable)$/.test(name))

const CHECK = `[text, data.shared === data.again, data.shared.n === 1n, data.shared.at.getTime(), data.map.size, String(data.pattern), new Uint8Array(data.bytes)[2], loop.self === loop, Object.is(loop.list[1], -0),
  loop.list[3].length, failure instanceof RangeError, failure.code, failure.cause.message, views[0].buffer === views[1].buffer, views[1].length].join()`
const EXPECTED = "'hello,true,true,5,1,/a(?<x>b)/giu,3,true,true,2,true,E_NO,root,true,3'"

function stateOf(name: string, folderOf: () => string): string {
  const path = join(folderOf(), 'state')
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

export default {
  name: 'versions',
  bar: 'values of another runtime or version are held bit for bit through five cycles and come back in the runtime that wrote them; portable ones are read by all',
  rounds: { full: states.length, short: states.length },
  guards: [
    { takenOut: 'the runtime in the name of a format', edits: [{ file: 'plugins/v8-serializer/guest.ts', find: 'reads: codec => codec.startsWith(FAMILY) && Number(codec.slice(FAMILY.length)) <= current(),', replace: 'reads: codec => /^(v8|jsc)/.test(codec) && current() > 0,' }] },
    { takenOut: 'the holding of what cannot be read', edits: [{ file: 'guest/store/restore.ts', find: '    this.leave(saved, names, name => { throw valueHeld(name, reason) })', replace: '    void valueHeld' }] },
  ],
  async run(context) {
    const own = context.preset.runtime.name
    let held = 0
    for (const name of states) {
      if (name.endsWith('.portable') || family(name) === own) await comesBack(name, context)
      else {
        await isHeld(name, context)
        held++
      }
      context.done()
    }
    context.figure(`${held} states held through five cycles each`)
  },
} satisfies Gate

async function comesBack(name: string, { engine, folder: folderOf }: GateContext): Promise<void> {
  const notebook = engine({ snapshot: { path: stateOf(name, folderOf) } })
  expect(await notebook.restoreState(), name).toMatchObject({ restored: NAMES, held: [], failed: [] })
  expect(await notebook.execute(CHECK), name).toMatchObject({ result: EXPECTED })
  await notebook.dispose()
}

async function isHeld(name: string, { engine, folder: folderOf }: GateContext): Promise<void> {
  const path = stateOf(name, folderOf)
  const before = bytesIn(path)
  for (let cycle = 0; cycle < 5; cycle++) {
    const notebook = engine({ snapshot: { path } })
    expect((await notebook.restoreState())?.held, name).toEqual(NAMES.map(each => ({ name: each, reason: expect.stringMatching(/^it was written by (bun|node) \d+/) as string })))
    if (cycle === 0) expect(await notebook.execute('text'), name).toMatchObject({ status: 'error', error: { message: expect.stringContaining("'text' is kept on disk but cannot be read") as string } })
    await notebook.execute(`cycle${cycle} = ${cycle}`)
    await notebook.snapshotState()
    await notebook.dispose()
  }
  for (const [names, bytes] of before) expect(bytesIn(path).get(names), names).toBe(bytes)
  const right = engine({ preset: family(name) === 'bun' ? bun : node, snapshot: { path } })
  expect(await right.restoreState(), name).toMatchObject({ held: [] })
  expect(await right.execute(`${CHECK} + cycle4`), name).toMatchObject({ result: EXPECTED.replace(/'$/, "4'") })
  await right.dispose()
}
