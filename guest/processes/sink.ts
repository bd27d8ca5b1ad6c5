import type { CellContext } from '../context.ts'
import type { Channel } from '../protocol.ts'

/** Where a child's bytes go: the cell that started it, or the count of text without a cell. */
export interface Sink { write(bytes: Uint8Array): void; end(): void }

const { apply } = Reflect
const { decode } = TextDecoder.prototype

/** Opens a sink of its own decoder, so that a character cut between two reads is put together again. */
export function openSink(cell: CellContext | undefined, channel: Channel, unattributed: (chars: number) => void): Sink {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const say = (text: string): void => {
    if (text === '') return
    if (cell === undefined) unattributed(text.length)
    else cell.print(channel, text)
  }
  return {
    write: bytes => say(apply(decode, decoder, [bytes, { stream: true }]) as string),
    end: () => say(apply(decode, decoder, []) as string),
  }
}
