import { createRequire } from 'node:module'

/** A digest over pieces: what node:crypto's hashes and bun's own have in common. */
export interface Hash {
  update(data: Uint8Array | string): unknown
  digest(): Uint8Array
  digest(encoding: 'hex' | 'base64'): string
}
type Algorithm = 'sha1' | 'sha256'

interface Primitives { readonly createHash: (algorithm: Algorithm) => Hash; readonly randomBytes: (count: number) => Buffer }

const { apply } = Reflect

/** bun's own are there at once, while its node:crypto takes a good part of a start to load. */
function native({ CryptoHasher }: { CryptoHasher: new (algorithm: Algorithm) => Hash }): Primitives {
  const { crypto } = globalThis
  const { getRandomValues } = crypto
  return { createHash: algorithm => new CryptoHasher(algorithm), randomBytes: count => apply(getRandomValues, crypto, [Buffer.alloc(count)]) as Buffer }
}

const { Bun } = globalThis as { Bun?: Parameters<typeof native>[0] }
// Kept from before the first cell, which may patch either.
export const { createHash, randomBytes }: Primitives = Bun === undefined ? createRequire(import.meta.url)('node:crypto') as Primitives : native(Bun)

/** Random bytes as hex, for names that nobody can guess. */
export const randomHex = (count: number): string => randomBytes(count).toString('hex')
