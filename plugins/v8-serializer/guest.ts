import v8 from 'node:v8'
import type { Guest, Serializer } from '../../guest/guest.ts'
import type { Kind } from '../../guest/store/kinds.ts'

// Kept from before the first cell, which may patch the module.
const { serialize, deserialize } = v8

const BOTH: readonly Kind[] = ['plain', 'array', 'map', 'set', 'date', 'regexp', 'boxed', 'sparse', 'buffer', 'growable-buffer']
/** bun writes all views of a buffer with it; node copies each into its own, so that views that share one part ways. */
const BUN: readonly Kind[] = [...BOTH, 'view', 'node-buffer']

/** On node the first byte pair names V8's format, on bun the first word that of JavaScriptCore. Each reads its older ones. */
const isBun = process.versions['bun'] !== undefined
const FAMILY = isBun ? 'jsc/' : 'v8/'
const versionIn = (bytes: Uint8Array): number => isBun ? new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true) : bytes[1] as number
let version: number | undefined
/** Asked for when a value is written or read: the first look takes bun half a millisecond of its start. */
const current = (): number => version ??= versionIn(serialize(null))

/** `node:v8` on node; on bun the same import is its own serializer. */
export const v8Serializer: Serializer = {
  get codec() { return `${FAMILY}${current()}` },
  keeps: isBun ? BUN : BOTH,
  // JavaScriptCore keeps its own stack; V8 recurses and throws at about 20,000 levels of a fresh stack.
  maxDepth: isBun ? Infinity : 4000,
  encode: value => ({ bytes: serialize(value) }),
  reads: codec => codec.startsWith(FAMILY) && Number(codec.slice(FAMILY.length)) <= current(),
  decode: bytes => deserialize(bytes) as unknown,
}

export default function v8SerializerHalf(guest: Guest): void { guest.serializer(v8Serializer) }
