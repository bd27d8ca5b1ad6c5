import type { Kept } from './protocol.ts'

const { apply } = Reflect
const { toLocaleString } = Number.prototype

/** A count as people read it. */
export const countText = (count: number): string => apply(toLocaleString, count, ['en-US']) as string

/** What follows the news that a text was cut: where it is, or how much of it is there, or why it is nowhere. */
export function keptText({ spill, partial }: Kept): string {
  if (partial === undefined) return spill === undefined ? '' : `; the whole is in ${spill}`
  if (spill === undefined) return `; the whole could not be kept: ${partial.why}`
  return `; its first ${countText(partial.bytes)} bytes are in ${spill}, the rest could not be kept: ${partial.why}`
}
