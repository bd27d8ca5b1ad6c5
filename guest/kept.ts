import type { Kept } from './protocol.ts'

/** What follows the news that a text was cut: where it is, or how much of it is there, or why it is nowhere. */
export function keptText({ spill, partial }: Kept): string {
  if (partial === undefined) return spill === undefined ? '' : `; the whole is in ${spill}`
  if (spill === undefined) return `; the whole could not be kept: ${partial.why}`
  return `; its first ${partial.bytes.toLocaleString('en-US')} bytes are in ${spill}, the rest could not be kept: ${partial.why}`
}
