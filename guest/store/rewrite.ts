import { writeAllLater } from './disk.ts'
import type { Files } from './files.ts'
import { encodeRecord, type LogRecord } from './format.ts'
import type { Saved } from './history.ts'
import { concat, SafeMap } from './safe.ts'

const PIECE = 4 << 20
/** Bytes of a record after its value. */
export const TAIL = 16

/** Writes a log of `records` to `log.new`, taking bytes of values from the present one; answers where all of them are. */
export async function writeLog(files: Files, records: readonly LogRecord[], values: ReadonlyMap<number, Saved>): Promise<{ readonly end: number; readonly values: ReadonlyMap<number, Saved> }> {
  const { disk } = files
  const moved = new SafeMap<number, Saved>()
  const old = disk.open(files.path('log'), 'r')
  let end = 0
  try {
    const file = disk.open(files.path('log.new'), 'w')
    try {
      for (const pieces of batches(records, values, saved => disk.readAt(old, saved.to - saved.from, saved.from), moved)) {
        const bytes = concat(pieces)
        await writeAllLater(disk, file, bytes, 0, bytes.length, end)
        end += bytes.length
      }
      await disk.syncLater(file)
    } finally { disk.close(file) }
  } finally { disk.close(old) }
  return { end, values: moved }
}

function* batches(records: readonly LogRecord[], values: ReadonlyMap<number, Saved>, read: (saved: Saved) => Buffer, moved: Map<number, Saved>): Generator<Buffer[]> {
  let batch: Buffer[] = []
  let size = 0
  let at = 0
  for (const record of records) {
    const saved = record.type === 'value' ? values.get(record.id) : undefined
    const bytes = saved === undefined || saved.record.blob === true ? undefined : read(saved)
    const encoded = encodeRecord(record, bytes)
    at += encoded.length
    if (saved !== undefined) moved.set(saved.record.id, { ...saved, from: at - TAIL - (bytes?.length ?? 0), to: at - TAIL })
    batch.push(encoded)
    size += encoded.length
    if (size < PIECE) continue
    yield batch
    batch = []
    size = 0
  }
  yield batch
}
