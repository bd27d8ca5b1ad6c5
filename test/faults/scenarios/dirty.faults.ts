import { join } from 'node:path'
import { expect } from 'vitest'
import type { Scenarios } from '../fault.ts'

const REPLACED = 'Object.keys = () => []; JSON.stringify = () => "F"; Array.prototype.filter = () => []; Array.prototype.push = () => 0; Map.prototype.forEach = () => {}'

export default {
  async 'DT-06'({ engine, folder }) {
    const snapshot = { path: join(folder(), 'state') }
    const first = engine({ snapshot })
    expect(await first.execute(`var deep = { list: [1, { map: new Map([[1, new Set([2])]]) }] }; var long = Array.from({ length: 30_000 }, (_, i) => ({ i })); ${REPLACED}; null`)).toMatchObject({ status: 'ok' })
    expect(await first.snapshotState()).toMatchObject({ written: ['deep', 'long'], failed: [], lossy: [] })
    expect(await first.execute('JSON.stringify(1)')).toMatchObject({ result: "'F'" })
    await first.dispose()
    const second = engine({ snapshot })
    await second.restoreState()
    await second.execute(`${REPLACED}; null`)
    expect(await second.execute('[deep.list[1].map.get(1).has(2), long.length, long[29_999].i]', { timeoutMs: 20_000 })).toMatchObject({ status: 'ok', result: '[ true, 30000, 29999 ]' })
  },
} satisfies Scenarios
