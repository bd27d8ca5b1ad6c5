import { types } from 'node:util'
import type { Row, Slot } from './row.ts'
import { isArray, SafeMap } from './safe.ts'

const { isAnyArrayBuffer } = types

/** A buffer that only views show is kept as far as they show it, when that saves more than half. */
export function shrinkBuffers(rows: readonly Row[], root: Slot): void {
  const shown = new SafeMap<number, { from: number; to: number; views: Row[] }>()
  const direct = new SafeMap<number, true>()
  const refer = (slot: Slot): void => { if (isArray(slot) && typeof slot[0] === 'number') direct.set(slot[0], true) }
  refer(root)
  for (const row of rows) {
    if (row[0] === 'view') {
      const [, type, buffer, offset, length] = row[1] as [unknown, string, [number], number, number]
      const size = length * (BYTES[type] ?? 1)
      const seen = shown.get(buffer[0]) ?? { from: offset, to: offset + size, views: [] }
      shown.set(buffer[0], { from: Math.min(seen.from, offset), to: Math.max(seen.to, offset + size), views: [...seen.views, row] })
    } else row[1].forEach(refer)
    row[3].forEach(refer)
    row[4].forEach(refer)
  }
  for (const [id, { from, to, views }] of shown) {
    const row = rows[id]
    const bytes = row?.[1][1]
    if (row?.[0] !== 'buffer' || !isAnyArrayBuffer(bytes) || direct.has(id) || (to - from) * 2 >= bytes.byteLength) continue
    const start = from - from % 8
    row[1][1] = bytes.slice(start, to)
    for (const view of views) view[1][3] = (view[1][3] as number) - start
  }
  for (const row of rows) if (row[0] === 'buffer' && types.isSharedArrayBuffer(row[1][1])) row[1][1] = copyOf(row[1][1])
}

function copyOf(shared: SharedArrayBuffer): ArrayBuffer {
  const copy = new ArrayBuffer(shared.byteLength)
  new Uint8Array(copy).set(new Uint8Array(shared))
  return copy
}

const BYTES: Readonly<Record<string, number>> = { Int16Array: 2, Uint16Array: 2, Int32Array: 4, Uint32Array: 4, Float32Array: 4, Float64Array: 8, BigInt64Array: 8, BigUint64Array: 8 }
