import { readNow } from './read-now.ts'

/** Bytes of the key line: 64 hex digits and a newline. */
const KEY_LINE = 65

/**
 * Reads the channel's key, the first line on fd 3. Parsed from bytes, so that it never exists as a string, and read
 * before any other module is loaded.
 */
function readKey(): Uint8Array {
  const line = new Uint8Array(KEY_LINE)
  let at = 0
  while (at < KEY_LINE) at += readNow(line, at, KEY_LINE - at)
  const key = new Uint8Array(32)
  for (let i = 0; i < 32; i++) key[i] = (digit(line[2 * i]) << 4) | digit(line[2 * i + 1])
  line.fill(0)
  return key
}

const digit = (code = 0): number => code <= 57 ? code - 48 : code - 87

let key: Uint8Array | null = readKey()

/** Hands the key to the one who asks first; nobody gets it after that. */
export function takeKey(): Uint8Array {
  if (key === null) throw new Error('the key was already taken')
  const taken = key
  key = null
  return taken
}
