import type { Channel, ChannelEnd } from '../../guest/protocol.ts'

/** The text that follows a cut channel's head: what is missing, where the whole is, and the last part. */
export function announcement(channel: Channel, seen: number, { total, tail, spill }: ChannelEnd): string {
  const missing = Math.max(0, total - seen - tail.length)
  const where = spill === undefined ? '' : `; the whole is in ${spill}`
  return `\n[… ${missing.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} characters of ${channel} cut${where} …]\n${tail}`
}
