 
/**
 * What the store uses after cells have run, kept from before the first: a cell may patch any global. The collections
 * carry their methods themselves, so `Map.prototype.get = …` in a cell does not reach them.
 */
import { createHash } from '../hash.ts'

const keepMethods = (kept: { prototype: object }, from: { prototype: object }): void => {
  for (const key of Reflect.ownKeys(from.prototype)) {
    if (key === 'constructor') continue
    const described = Object.getOwnPropertyDescriptor(from.prototype, key)
    if (described !== undefined) Object.defineProperty(kept.prototype, key, described)
  }
}

export class SafeMap<K, V> extends Map<K, V> {}
export class SafeSet<T> extends Set<T> {}
export class SafeWeakMap<K extends object, V> extends WeakMap<K, V> {}
keepMethods(SafeMap, Map)
keepMethods(SafeSet, Set)
keepMethods(SafeWeakMap, WeakMap)

export const { getPrototypeOf, getOwnPropertyDescriptor, defineProperty, isExtensible, isFrozen, isSealed, freeze, seal, preventExtensions, is, create } = Object
export const { ownKeys, apply } = Reflect
export const { isArray } = Array
export const { stringify, parse } = JSON
export const { isView } = ArrayBuffer
export const now = Date.now.bind(Date)
export const clock = performance.now.bind(performance)
export const bytesOf = Buffer.from.bind(Buffer)
export const concat = Buffer.concat.bind(Buffer)
export const alloc = Buffer.alloc.bind(Buffer)

const { update, digest } = createHash('sha256')
const newHash = createHash

/** SHA-256 over pieces that arrive one by one. */
export interface Hasher { add(bytes: Uint8Array): void; end(): Buffer }

export function hasher(): Hasher {
  const hash = newHash('sha256')
  return {
    add: bytes => void apply(update, hash, [bytes]),
    end: () => bytesOf(apply(digest, hash, []) as Uint8Array),
  }
}

/** SHA-256 of some bytes. */
export function sha256(...pieces: readonly Uint8Array[]): Buffer {
  const hash = hasher()
  for (let i = 0; i < pieces.length; i++) hash.add(pieces[i] as Uint8Array)
  return hash.end()
}

const PIECE = 4 << 20
const { setImmediate: soon } = globalThis

/** The same in hex, piece by piece, so that cells run in between. */
export async function sha256Later(bytes: Uint8Array): Promise<string> {
  const hash = hasher()
  for (let from = 0; from < bytes.length; from += PIECE) {
    hash.add(bytes.subarray(from, from + PIECE))
    await new Promise<void>(resolve => { soon(resolve) })
  }
  return hash.end().toString('hex')
}

/** The text of a thrown value, whatever it is. */
export function messageOf(thrown: unknown): string {
  try {
    if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) return String(thrown.message)
    return String(thrown)
  } catch { return 'an error that cannot be shown' }
}
