import type { Readable } from 'node:stream'

/** Longest line, in bytes: the largest cell, every character of it escaped. */
export const LINE_CAP = 64 << 20

export type Line = { readonly number: number; readonly text: string } | { readonly number: number; readonly problem: string }

const NEWLINE = 0x0a

/**
 * Cuts a stream into lines as they come. A line that is too long or no UTF-8 is told as such and costs only itself;
 * `settled` is awaited after each piece, which is what holds a fast writer back.
 */
export async function readLines(input: Readable, onLine: (line: Line) => void, settled: () => Promise<void>, cap = LINE_CAP): Promise<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let pieces: Buffer[] = []
  let length = 0
  let number = 0
  const add = (piece: Buffer): void => {
    length += piece.length
    if (length > cap) pieces = []
    else pieces.push(piece)
  }
  const end = (): void => {
    number += 1
    const tooLong = length > cap
    const bytes = Buffer.concat(pieces)
    pieces = []
    length = 0
    if (tooLong) { onLine({ number, problem: `the line is longer than ${cap} bytes` }); return }
    try {
      const text = decoder.decode(bytes)
      if (text.trim() !== '') onLine({ number, text })
    } catch {
      onLine({ number, problem: 'the line is not text in UTF-8' })
    }
  }
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at))
      end()
      from = at + 1
    }
    if (from < chunk.length) add(chunk.subarray(from))
    await settled()
  }
  if (length > 0) end()
}
