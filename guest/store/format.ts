/**
 * The layout of the log: a pure format, shared by the guest that writes it and the command that reads it.
 *
 * A file is a run of records. A record is a head of 20 bytes (mark, kind, version, check of the JSON, length of the JSON,
 * length of its bytes, check of the head), the JSON, the bytes, and a check of 16 bytes over both. Numbers are little-endian.
 */
import { createHash } from '../hash.ts'

export const FORMAT = 1
const MARK = 0x4d4c5250 // "PRLM"
export const HEAD = 20
export const CHECK = 16

/** First record of a file. */
export interface HeaderRecord { readonly type: 'header'; readonly format: number; readonly made: string; readonly at: number }
/** One value, of one name or of several that share objects. Its bytes follow, or lie in the blob named by `hash`. */
export interface ValueRecord {
  readonly type: 'value'
  readonly id: number
  readonly names: readonly string[]
  readonly codec: string
  /** Which runtime wrote it, as `bun 1.4.5`. */
  readonly made: string
  readonly hash: string
  readonly size: number
  readonly blob?: true
  /** What the bytes cannot bring back, by name. */
  readonly losses?: readonly (readonly [name: string, reason: string])[]
  /** A word for people: the kind of value of each name. */
  readonly types: readonly string[]
  /** Count of cells when it was last touched. */
  readonly cell: number
}
/** Ends a generation: what it changes against the one it grew from. */
export interface CommitRecord {
  readonly type: 'commit'
  readonly generation: number
  /** The generation these changes apply to; 0 for an empty one. */
  readonly parent: number
  readonly at: number
  readonly cell: number
  readonly values: readonly number[]
  /** Values that were used since, but are what they were. */
  readonly used: readonly number[]
  readonly gone: readonly string[]
  readonly lost: readonly (readonly [name: string, reason: string])[]
}
/** A name that was forgotten: it is in no generation up to and including `upTo`. */
export interface ForgetRecord { readonly type: 'forget'; readonly name: string; readonly upTo: number }
export type LogRecord = HeaderRecord | ValueRecord | CommitRecord | ForgetRecord

const KINDS = ['header', 'value', 'commit', 'forget'] as const
const { parse, stringify } = JSON

/** What a scan found at one place. */
export interface Found {
  readonly record: LogRecord
  readonly at: number
  readonly end: number
  /** Where the bytes lie. */
  readonly bytes: { readonly from: number; readonly to: number }
  /** False when head and JSON are sound, but the bytes are not what was written. */
  readonly sound: boolean
}
export interface Scan {
  readonly found: readonly Found[]
  /** Where sound records end. */
  readonly end: number
  /** Why the scan stopped before the end of the file: a torn tail is a write that was cut off, damage is not. */
  readonly rest: 'none' | 'torn' | 'damaged' | 'newer'
}

const digest = (...pieces: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return Buffer.from(hash.digest())
}

/** FNV-1a: enough to tell a length from noise. */
function fnv(bytes: Uint8Array): number {
  let sum = 0x811c9dc5
  for (let i = 0; i < bytes.length; i++) sum = Math.imul(sum ^ (bytes[i] as number), 0x01000193)
  return sum >>> 0
}
const headCheck = (head: Buffer): number => fnv(head.subarray(0, HEAD - 4))
/** Says whose the damage is when a record does not verify: only with sound JSON are the names of the value known. */
const jsonCheck = (json: Uint8Array): number => fnv(json) & 0xffff

/** The bytes of a record. */
export function encodeRecord(record: LogRecord, bytes: Uint8Array = new Uint8Array(0)): Buffer {
  const json = Buffer.from(stringify(record))
  const out = Buffer.allocUnsafe(HEAD + json.length + bytes.length + CHECK)
  out.writeUInt32LE(MARK, 0)
  out[4] = KINDS.indexOf(record.type)
  out[5] = FORMAT
  out.writeUInt16LE(jsonCheck(json), 6)
  out.writeUInt32LE(json.length, 8)
  out.writeUInt32LE(bytes.length, 12)
  out.writeUInt32LE(headCheck(out), HEAD - 4)
  json.copy(out, HEAD)
  out.set(bytes, HEAD + json.length)
  const end = HEAD + json.length + bytes.length
  digest(out.subarray(HEAD, HEAD + json.length), out.subarray(HEAD + json.length, end)).copy(out, end, 0, CHECK)
  return out
}

/** Reads a file's records until its end, a torn tail or damage. */
export function scan(file: Buffer): Scan {
  const found: Found[] = []
  let at = 0
  while (at < file.length) {
    const next = recordAt(file, at)
    if (typeof next === 'string') return { found, end: at, rest: next === 'torn' && soundCommitAfter(file, at + 1) ? 'damaged' : next }
    found.push(next)
    at = next.end
  }
  return { found, end: at, rest: 'none' }
}

/** The record at a place, or why there is none. */
export function recordAt(file: Buffer, at: number): Found | 'torn' | 'damaged' | 'newer' {
  if (file.length - at < HEAD) return 'torn'
  const head = file.subarray(at, at + HEAD)
  if (head.readUInt32LE(0) !== MARK || head.readUInt32LE(HEAD - 4) !== headCheck(head)) return head.every(byte => byte === 0) ? 'torn' : 'damaged'
  if (head[5] !== FORMAT) return 'newer'
  const from = at + HEAD + head.readUInt32LE(8)
  const to = from + head.readUInt32LE(12)
  if (file.length < to + CHECK) return 'torn'
  const json = file.subarray(at + HEAD, from)
  const sound = digest(json, file.subarray(from, to)).compare(file, to, to + CHECK, 0, CHECK) === 0
  const record = read(json, KINDS[head[4] as number])
  if (record === undefined || (!sound && (record.type !== 'value' || head.readUInt16LE(6) !== jsonCheck(json)))) return 'damaged'
  return { record, at, end: to + CHECK, bytes: { from, to }, sound }
}

function soundCommitAfter(file: Buffer, from: number): boolean {
  const mark = Buffer.alloc(4)
  mark.writeUInt32LE(MARK)
  for (let at = file.indexOf(mark, from); at >= 0; at = file.indexOf(mark, at + 1)) {
    const next = recordAt(file, at)
    if (typeof next !== 'string' && next.sound && next.record.type === 'commit') return true
  }
  return false
}

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const isText = (value: unknown): boolean => typeof value === 'string'
const isList = (value: unknown, of: (item: unknown) => boolean): boolean => Array.isArray(value) && value.every(of)
const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every(isText)
/** What each field of a record must be. */
const FIELDS: { readonly [Type in LogRecord['type']]: Readonly<Record<string, (value: unknown) => boolean>> } = {
  header: { format: isNumber, made: isText, at: isNumber },
  value: { id: isNumber, names: names => isList(names, isText), codec: isText, made: isText, hash: hash => isText(hash) && /^[0-9a-f]{64}$/.test(hash as string), size: isNumber, types: types => isList(types, isText), cell: isNumber,
    losses: losses => losses === undefined || isList(losses, isPair) },
  commit: { generation: isNumber, parent: isNumber, at: isNumber, cell: isNumber, values: ids => isList(ids, isNumber), used: ids => isList(ids, isNumber), gone: names => isList(names, isText), lost: lost => isList(lost, isPair) },
  forget: { name: isText, upTo: isNumber },
}

function read(json: Buffer, type: LogRecord['type'] | undefined): LogRecord | undefined {
  try {
    const record = parse(json.toString()) as Record<string, unknown> | null
    if (type === undefined || typeof record !== 'object' || record === null || record['type'] !== type) return undefined
    for (const [field, fits] of Object.entries(FIELDS[type])) if (!fits(record[field])) return undefined
    return record as unknown as LogRecord
  } catch { return undefined }
}
