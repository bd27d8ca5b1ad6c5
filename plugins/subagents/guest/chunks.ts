import { badCall } from './errors.ts'

/** A piece of a text that cuts no record. */
export interface Chunk { readonly index: number; readonly from: number; readonly chars: number; readonly records: number; readonly text: string }
export interface ChunkOptions {
  /** Characters of a chunk, about. A single longer record is a chunk of its own. */
  readonly chars?: number
  /** What ends a record. */
  readonly separator?: string
}

const CHARS = 100_000

/** Cuts a text on record borders; the pieces joined are the text. */
export function chunksOf(text: string, options: ChunkOptions = {}): Chunk[] {
  const { chars = CHARS, separator = '\n' } = options
  if (typeof text !== 'string') throw badCall('rlm.chunks(text) takes a string')
  if (!Number.isInteger(chars) || chars < 1) throw badCall(`chars is ${String(chars)}; it must be a whole number from 1`)
  if (separator === '') throw badCall('separator is empty; it must be what ends a record')
  const chunks: Chunk[] = []
  for (let from = 0; from < text.length;) {
    const to = borderAfter(text, from, chars, separator)
    const piece = text.slice(from, to)
    chunks.push({ index: chunks.length, from, chars: piece.length, records: countRecords(piece, separator), text: piece })
    from = to
  }
  return chunks
}

function borderAfter(text: string, from: number, chars: number, separator: string): number {
  if (text.length - from <= chars) return text.length
  const last = text.lastIndexOf(separator, from + chars - separator.length)
  const cut = last >= from ? last : text.indexOf(separator, from + chars - separator.length + 1)
  return cut < 0 ? text.length : cut + separator.length
}

function countRecords(piece: string, separator: string): number {
  let records = 0
  let from = 0
  for (let at = piece.indexOf(separator); at >= 0; at = piece.indexOf(separator, from)) {
    if (at > from) records++
    from = at + separator.length
  }
  return from < piece.length ? records + 1 : records
}
