import { keptText } from '../../guest/kept.ts'
import type { Channel, ChannelEnd } from '../../guest/protocol.ts'

/** The text that follows a cut channel's head: what is missing, where the whole is, and the last part. */
export function announcement(channel: Channel, seen: number, end: ChannelEnd): string {
  const { total, tail } = end
  const missing = Math.max(0, total - seen - tail.length)
  return `\n[… ${missing.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} characters of ${channel} cut${keptText(end)} …]\n${tail}`
}
