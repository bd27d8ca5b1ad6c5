import { fromJSON, type SerovalJSON, toJSON } from 'seroval'
import type { Guest, Serializer } from '../../guest/guest.ts'

const { parse, stringify } = JSON
const bytesOf = Buffer.from.bind(Buffer) as (text: string) => Buffer
const text = TextDecoder.prototype.decode.bind(new TextDecoder())

/** Deeper graphs are left to others: seroval recurses. */
const DEPTH = 400

/** seroval's JSON form: never code, so reading a file runs nothing in it. */
export const serovalSerializer: Serializer = {
  codec: 'seroval/1',
  portable: true,
  keeps: ['plain', 'array', 'map', 'set', 'date', 'regexp', 'boxed', 'buffer', 'view', 'null-prototype', 'sparse', 'frozen'],
  maxDepth: DEPTH,
  encode: value => ({ bytes: bytesOf(stringify(toJSON(value, { depthLimit: DEPTH + 10 }))) }),
  decode: bytes => fromJSON(parse(text(bytes)) as SerovalJSON, { depthLimit: DEPTH + 10, maxBase64Length: 2 ** 31 }),
}

export default function serovalSerializerHalf(guest: Guest): void { guest.serializer(serovalSerializer) }
