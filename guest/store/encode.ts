import type { Encoded, Serializer } from '../guest.ts'
import { flatten } from './flat.ts'
import type { Kind } from './kinds.ts'
import { messageOf, SafeMap } from './safe.ts'
import { bits, type Survey } from './survey.ts'
import { unflatten } from './unflat.ts'

/** Up to this weight a value goes to a portable serializer first, so that any runtime can read it. */
const SMALL_BYTES = 64 * 1024
const FLAT = 'flat+'
/** Serializers recurse; without a limit of their own they get no deeper than this. */
const USUAL_DEPTH = 500
/** A table is a few lists deep and made of these. */
const TABLE: readonly Kind[] = ['plain', 'array', 'buffer']

export interface EncodedValue extends Encoded { readonly codec: string; readonly losses: readonly string[] }

/** The bytes of a value; throws a message for the report when no serializer can make them. */
export function encodeValue(value: unknown, name: string, seen: Survey, serializers: readonly Serializer[]): EncodedValue {
  if (serializers.length === 0) throw new Error('the preset lists no serializer')
  const order = seen.bytes > SMALL_BYTES ? serializers : [...serializers.filter(({ portable }) => portable === true), ...serializers.filter(({ portable }) => portable !== true)]
  for (const serializer of order) {
    if (!keeps(serializer, seen.kinds) || seen.depth > (serializer.maxDepth ?? USUAL_DEPTH)) continue
    const encoded = attempt(serializer, value)
    if (encoded !== undefined) return { bytes: encoded.bytes, losses: encoded.losses ?? [], codec: serializer.codec }
  }
  const { table, losses } = flatten(value, name)
  let problem: unknown = new Error('every serializer of the preset declined it')
  for (const serializer of order) {
    if (!keeps(serializer, bits(TABLE))) continue
    try {
      const encoded = serializer.encode(table)
      if (encoded !== undefined) return { bytes: encoded.bytes, losses: [...losses, ...encoded.losses ?? []], codec: FLAT + serializer.codec }
    } catch (cause) { problem = cause }
  }
  throw problem
}

const keeps = (serializer: Serializer, kinds: number): boolean => serializer.keeps === undefined || (kinds & ~maskOf(serializer.keeps)) === 0
const MASKS = new SafeMap<readonly Kind[], number>()
function maskOf(kinds: readonly Kind[]): number {
  let mask = MASKS.get(kinds)
  if (mask === undefined) MASKS.set(kinds, mask = bits(kinds))
  return mask
}

/** A serializer that fails on a value it should keep (too deep, too large) has declined it. */
function attempt(serializer: Serializer, value: unknown): Encoded | undefined {
  try { return serializer.encode(value) } catch { return undefined }
}

/** Which serializer reads a codec; undefined when none does. */
export function readerOf(codec: string, serializers: readonly Serializer[]): Serializer | undefined {
  const inner = codec.startsWith(FLAT) ? codec.slice(FLAT.length) : codec
  return serializers.find(serializer => serializer.reads?.(inner) ?? serializer.codec === inner)
}

/** The value some bytes stand for. */
export function decodeValue(bytes: Uint8Array, codec: string, reader: Serializer): unknown {
  try {
    return codec.startsWith(FLAT) ? unflatten(reader.decode(bytes, codec.slice(FLAT.length))) : reader.decode(bytes, codec)
  } catch (cause) { throw new Error(`${reader.codec} could not read it (${messageOf(cause)})`, { cause }) }
}
