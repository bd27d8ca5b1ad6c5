import { createHash } from 'node:crypto'
import { encodeRecord, scan } from '../../../../guest/store/format.ts'

/** What every state holds before it goes bad. */
export const SAMPLE = (): Record<string, unknown> => {
  const shared = { deep: [1, 2, { three: 3n }] }
  return { text: 'hello', list: [1, [2], shared], twin: { shared }, map: new Map([['k', new Date(5)]]), long: 'y'.repeat(40_000), error: Object.assign(new RangeError('no'), { stack: 'fixed' }), __proto__x: 1 }
}
export type Mutate = (bytes: Buffer, random: () => number) => Buffer
const at = (bytes: Buffer, random: () => number): number => Math.floor(random() * bytes.length)

/** Ways a file goes bad. The last ones are made by somebody who knows the format: their checks are right. */
export const MUTATIONS: Readonly<Record<string, Mutate>> = {
  flip: (bytes, random) => { const out = Buffer.from(bytes); const place = at(out, random); out[place] = (out[place] as number) ^ (1 << Math.floor(random() * 8)); return out },
  cut: (bytes, random) => bytes.subarray(0, at(bytes, random)),
  zero: (bytes, random) => { const out = Buffer.from(bytes); const from = at(out, random); return out.fill(0, from, Math.min(out.length, from + 64)) },
  noise: (bytes, random) => { const out = Buffer.from(bytes); for (let i = 0, from = at(out, random); i < 40 && from + i < out.length; i++) out[from + i] = Math.floor(random() * 256); return out },
  drop: (bytes, random) => { const from = at(bytes, random); return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + 1 + Math.floor(random() * 200))]) },
  twice: (bytes, random) => { const from = at(bytes, random); return Buffer.concat([bytes.subarray(0, from), bytes.subarray(Math.max(0, from - 300))]) },
  huge: (bytes, random) => { const out = Buffer.from(bytes); const found = scan(out).found; const record = found[Math.floor(random() * found.length)]; if (record !== undefined) out.writeUInt32LE(0xfffffff0, record.at + (random() < 0.5 ? 8 : 12)); return out },
  forged: (bytes, random) => {
    const { found } = scan(bytes)
    return Buffer.concat(found.map(({ record, bytes: { from, to } }) => {
      const payload = bytes.subarray(from, to)
      if (random() > 0.4) return encodeRecord(record, payload)
      const odd = [{}, { names: ['__proto__'] }, { names: [] }, { codec: 'flat+flat+seroval/1' }, { codec: 'seroval/999' }, { hash: '0'.repeat(64) }, { blob: true }, { values: [1e9] }, { parent: 99 }, { generation: 0 }, { lost: [['a']] }, { types: 5 }, { id: 1 }, { size: -1 }]
      return encodeRecord({ ...record, ...odd[Math.floor(random() * odd.length)] } as typeof record, payload)
    }))
  },
  swapped: (bytes, random) => {
    const { found } = scan(bytes)
    const values = found.filter(({ record }) => record.type === 'value')
    const other = values[Math.floor(random() * values.length)]
    return Buffer.concat(found.map(({ record, bytes: { from, to } }) => encodeRecord(record, record.type === 'value' && other !== undefined && random() < 0.5 ? bytes.subarray(other.bytes.from, other.bytes.to) : bytes.subarray(from, to))))
  },
  bomb: (bytes, random) => {
    const { found } = scan(bytes)
    const deep = Buffer.from(random() < 0.5 ? '['.repeat(100_000) : `{"t":{"t":9,"i":0,"a":[${'{"t":9,"i":1,"a":['.repeat(2000)}`)
    return Buffer.concat(found.map(({ record, bytes: { from, to } }) => record.type === 'value' && record.blob === undefined && random() < 0.4
      ? encodeRecord({ ...record, hash: createHash('sha256').update(deep).digest('hex'), size: deep.length }, deep) : encodeRecord(record, bytes.subarray(from, to))))
  },
}
