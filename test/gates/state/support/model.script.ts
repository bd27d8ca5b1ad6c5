import { createCellEngine } from '../../../../guest/cell/index.ts'
import declarations from '../../../../plugins/declarations/guest.ts'
import fastNames from '../../../../plugins/fast-names/guest.ts'
import { createGuestHooks } from '../../../../guest/hooks.ts'
import type { Transform } from '../../../../guest/guest.ts'
import { MemoryDisk } from '../../../state/support/disks.ts'
import { type Programmed, runProgram } from '../../../state/support/model.ts'
import { openNotebook } from '../../../state/support/store.ts'
import { rounds } from './script.ts'

/** A notebook without an engine around it: the store, and cells as the guest runs them. A kill drops all it had. */
function open(disk: MemoryDisk): Programmed {
  const book = openNotebook('/state', { disk })
  const { namespace, store } = book
  Object.assign(globalThis, { hidden: {}, late: false })
  namespace.own('rlm', { forget: (name: string) => namespace.forget(name) })
  const transforms: Transform[] = []
  const half = { namespace, transform: (transform: Transform) => { transforms.push(transform) } }
  declarations(half)
  fastNames(half)
  const cells = createCellEngine({ namespace, transforms, hooks: createGuestHooks(), importers: [], cwd: () => '/' })
  let number = 0
  return {
    async execute(source) {
      store.cell()
      try {
        return { status: 'ok', value: await (await cells.prepare({ id: `${++number}`, number, source })).run() }
      } catch (error) { return { status: 'error', error: error as Error } }
    },
    snapshotState: () => store.save(),
    restoreState: () => store.restore(null),
    kill: () => { book.crash() },
  }
}

await rounds<{ seeds: readonly number[]; cells: number }>(async ({ seeds, cells }, round) => {
  const total = { names: 0, stale: 0, falselyStale: 0, restores: 0 }
  for (const seed of seeds) {
    const disk = new MemoryDisk()
    const result = await runProgram(() => open(disk), seed, cells)
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += result[key]
    round()
  }
  return total
})
