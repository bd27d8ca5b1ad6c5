import { createRequire } from 'node:module'
import type { SerovalJSON } from 'seroval'
import type { Guest, Serializer } from '../../guest/guest.ts'

type Library = Pick<typeof import('seroval'), 'fromJSON' | 'toJSON'>

const require = createRequire(import.meta.url)
let library: Library | undefined
/** Loaded by the first value that is written or read, which no start of a guest waits for. */
const seroval = (): Library => library ??= require('seroval') as Library

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
  encode: value => ({ bytes: bytesOf(stringify(seroval().toJSON(value, { depthLimit: DEPTH + 10 }))) }),
  decode: bytes => seroval().fromJSON(parse(text(bytes)) as SerovalJSON, { depthLimit: DEPTH + 10, maxBase64Length: 2 ** 31 }),
}

export default function serovalSerializerHalf(guest: Guest): void { guest.serializer(serovalSerializer) }
