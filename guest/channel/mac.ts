/*
 * HMAC-SHA-256 (RFC 2104, FIPS 180-4) on plain numbers and typed-array indexing only: there is no method, getter or
 * builtin in it that a cell could replace to watch the key or the inner state. node:crypto's own Hmac calls methods of
 * prototypes that a cell can reach. The host checks every frame with node:crypto, which is the test of this code.
 */
const K = constants()

/** First 32 bits of the fractional parts of the cube roots of the first 64 primes. */
function constants(): Int32Array {
  const table = new Int32Array(64)
  let found = 0
  for (let n = 2; found < 64; n++) {
    let prime = true
    for (let d = 2; d * d <= n; d++) if (n % d === 0) { prime = false; break }
    if (prime) table[found++] = (Math.cbrt(n) % 1) * 0x100000000
  }
  return table
}

const START = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]
const W = new Int32Array(64)

/** Mixes the 64 bytes of `block` at `at` into the eight words of `state`. */
function compress(state: Int32Array, block: Uint8Array, at: number): void {
  for (let i = 0; i < 16; i++) {
    const p = at + i * 4
    W[i] = (block[p]! << 24) | (block[p + 1]! << 16) | (block[p + 2]! << 8) | block[p + 3]!
  }
  for (let i = 16; i < 64; i++) {
    const a = W[i - 15]!, b = W[i - 2]!
    const s0 = ((a >>> 7) | (a << 25)) ^ ((a >>> 18) | (a << 14)) ^ (a >>> 3)
    const s1 = ((b >>> 17) | (b << 15)) ^ ((b >>> 19) | (b << 13)) ^ (b >>> 10)
    W[i] = (W[i - 16]! + s0 + W[i - 7]! + s1) | 0
  }
  let a = state[0]!, b = state[1]!, c = state[2]!, d = state[3]!, e = state[4]!, f = state[5]!, g = state[6]!, h = state[7]!
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i]! + W[i]!) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0
  }
  state[0]! += a; state[1]! += b; state[2]! += c; state[3]! += d; state[4]! += e; state[5]! += f; state[6]! += g; state[7]! += h
}

const HEX = '0123456789abcdef'

/** A function from bytes to the first 128 bits of their MAC, as 32 hex digits. The key is not kept, only two states. */
export function createMac(key: Uint8Array): (bytes: Uint8Array, length: number) => string {
  const inner = keyed(key, 0x36)
  const outer = keyed(key, 0x5c)
  const state = new Int32Array(8)
  const last = new Uint8Array(128)
  const digest = new Uint8Array(64)
  return (bytes, length) => {
    for (let i = 0; i < 8; i++) state[i] = inner[i]!
    finish(state, bytes, length, last)
    for (let i = 0; i < 32; i++) digest[i] = state[i >> 2]! >>> (24 - 8 * (i & 3))
    for (let i = 0; i < 8; i++) state[i] = outer[i]!
    finish(state, digest, 32, last)
    let text = ''
    for (let i = 0; i < 32; i++) text += HEX[(state[i >> 3]! >>> (28 - 4 * (i & 7))) & 15]!
    return text
  }
}

function keyed(key: Uint8Array, pad: number): Int32Array {
  const state = new Int32Array(START)
  const block = new Uint8Array(64).fill(pad)
  for (let i = 0; i < key.length; i++) block[i]! ^= key[i]!
  compress(state, block, 0)
  block.fill(0)
  return state
}

/** Hashes `length` bytes after one keyed block, padding and bit count included. */
function finish(state: Int32Array, bytes: Uint8Array, length: number, last: Uint8Array): void {
  let at = 0
  for (; at + 64 <= length; at += 64) compress(state, bytes, at)
  const rest = length - at
  const size = rest < 56 ? 64 : 128
  for (let i = 0; i < size; i++) last[i] = i < rest ? bytes[at + i]! : 0
  last[rest] = 0x80
  const bits = (length + 64) * 8
  for (let i = 0; i < 4; i++) last[size - 1 - i] = (bits >>> 0) >>> (8 * i)
  const high = (bits / 0x100000000) | 0
  for (let i = 0; i < 4; i++) last[size - 5 - i] = high >>> (8 * i)
  compress(state, last, 0)
  if (size === 128) compress(state, last, 64)
}
