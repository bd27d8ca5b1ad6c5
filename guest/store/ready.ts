import type { Serializer, StateLimits } from '../guest.ts'
import type { NameReason } from '../protocol.ts'
import { BLOB_BYTES } from './blobs.ts'
import type { Group } from './dirty.ts'
import { encodeValue, type EncodedValue } from './encode.ts'
import type { NewValue } from './log.ts'
import { encodeOrigin, IMPORT } from './reimport.ts'
import { messageOf, SafeMap, sha256, sha256Later } from './safe.ts'
import type { Ready, Standing } from './standing.ts'

interface EncoderParts { readonly serializers: readonly Serializer[]; readonly runtime: string; readonly limits?: StateLimits; readonly standing: Standing }

const UNLIMITED: StateLimits = { maxValueBytes: 256 << 20, maxTotalBytes: 2 ** 31 }
const MIB = 1 << 20

/** Makes bytes of groups of names, between two cells. */
export class Encoder {
  private readonly parts: EncoderParts
  private readonly limits: StateLimits

  constructor(parts: EncoderParts) {
    this.parts = parts
    this.limits = parts.limits ?? UNLIMITED
  }

  all(groups: readonly Group[]): { readonly ready: Ready[]; readonly failed: NameReason[] } {
    const ready: Ready[] = []
    const failed: NameReason[] = []
    for (const group of groups) this.prepare(group, ready, failed)
    return { ready, failed }
  }

  /** A group that fails as one may do so for one name only, so that each is then tried alone. */
  private prepare(group: Group, ready: Ready[], failed: NameReason[]): void {
    try { ready.push(this.encode(group)) } catch (cause) {
      if (group.names.length === 1) failed.push({ name: group.names[0] as string, reason: messageOf(cause) })
      else group.names.forEach((name, part) => { this.prepare({ ...group, names: [name], values: [group.values[part]] }, ready, failed) })
    }
  }

  private encode(group: Group): Ready {
    const { names, values, cell } = group
    const { bytes, codec, losses } = group.origin === undefined ? this.serialised(group) : { bytes: encodeOrigin(group.origin), codec: IMPORT, losses: [] }
    const { runtime, standing } = this.parts
    if (standing.places.weightWith(names, bytes.length) > this.limits.maxTotalBytes) throw new Error(`with it the state would exceed maxTotalBytes (${(this.limits.maxTotalBytes / MIB).toFixed(1)} MiB)`)
    const told = lossesByName(names, losses)
    const record: NewValue['record'] = { type: 'value', names, codec, made: runtime, size: bytes.length, types: values.map(typeOf), cell, ...(told.length > 0 && { losses: told }) }
    const hash = bytes.length < BLOB_BYTES ? sha256(bytes).toString('hex') : undefined
    return { group, before: standing.valueOf(names), same: false, value: { record, bytes, hash } }
  }

  private serialised({ names, values, seen }: Group): EncodedValue {
    const { limits } = this
    if (seen.bytes > 2 * limits.maxValueBytes) throw tooLarge(seen.bytes, limits)
    const name = names.length === 1 ? names[0] as string : ''
    const encoded = encodeValue(names.length === 1 ? values[0] : values, name, seen, this.parts.serializers)
    const { bytes, losses } = encoded
    if (names.length === 1 && losses.some(loss => loss.startsWith(`${name} is `) && loss.endsWith('it is left out'))) throw new Error((losses[0] as string).slice(name.length + 1).replace(/: it is left out$/, ' and cannot be saved'))
    if (bytes.length > limits.maxValueBytes) throw tooLarge(bytes.length, limits)
    return encoded
  }
}

/** Most values that were read were not changed; their hash tells, and nothing has to be written. */
export async function compareWithStanding(ready: Ready): Promise<void> {
  const { before, value } = ready
  if (before?.record.size !== value.bytes.length || before.record.codec !== value.record.codec) return
  value.hash ??= await sha256Later(value.bytes)
  ready.same = before.record.hash === value.hash
}

const tooLarge = (bytes: number, { maxValueBytes }: StateLimits): Error => new Error(`${(bytes / MIB).toFixed(1)} MiB are more than maxValueBytes (${(maxValueBytes / MIB).toFixed(1)} MiB)`)

const typeOf = (value: unknown): string => value === null ? 'null' : typeof value

/** Says of each name of a value what is lost; a group's losses start with the place in its list. */
function lossesByName(names: readonly string[], losses: readonly string[]): [string, string][] {
  const byName = new SafeMap<string, string[]>()
  for (const loss of losses) {
    const place = /^\[(\d+)\]/.exec(loss)
    const name = names[names.length === 1 || place === null ? 0 : Number(place[1])] ?? ''
    byName.set(name, [...byName.get(name) ?? [], names.length === 1 ? loss : loss.replace(/^\[\d+\]/, name)])
  }
  return [...byName].map(([name, texts]) => [name, texts.length > 4 ? `${texts.slice(0, 3).join('; ')}; and ${texts.length - 3} more` : texts.join('; ')])
}
