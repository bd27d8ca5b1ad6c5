import type { Channel } from '../guest/protocol.ts'
import type { LateText } from './result.ts'

/** Characters of late output kept for one result. */
const LATE_CAP = 20_000

/** What earlier cells said since the last result, bounded. */
export class LateOutput {
  private texts: { cell: string; channel: Channel; text: string }[] = []
  private chars = 0
  private dropped = 0

  add(cell: string, channel: Channel, text: string): void {
    const kept = text.slice(0, Math.max(0, LATE_CAP - this.chars))
    this.chars += kept.length
    this.dropped += text.length - kept.length
    if (kept === '') return
    const last = this.texts.at(-1)
    if (last !== undefined && last.cell === cell && last.channel === channel) last.text += kept
    else this.texts.push({ cell, channel, text: kept })
  }

  /** Hands over what was collected, with a notice when some had to be dropped. */
  take(): { readonly late: readonly LateText[]; readonly notices: readonly string[] } {
    const late = this.texts
    const notices = this.dropped > 0 ? [`Late output of earlier cells was cut: ${this.dropped} more characters were dropped.`] : []
    this.texts = []
    this.chars = this.dropped = 0
    return { late, notices }
  }
}
