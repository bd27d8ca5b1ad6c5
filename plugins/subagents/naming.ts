import { randomBytes } from 'node:crypto'
import type { ChildRecord, SeenStatus } from './records/record.ts'

/** What naming needs to know of a child. */
export interface Named { readonly record: Pick<ChildRecord, 'id' | 'name' | 'created_at' | 'deleted_at'>; readonly status: SeenStatus }

const MAX_NAME = 60

/** An id that sorts by time and by the number of its elder siblings, and serves as the name of a file and a folder. */
export const newId = (now: number, elder: number): string => `c-${now.toString(36)}-${elder.toString(36).padStart(3, '0')}-${randomBytes(4).toString('hex')}`

/** Makes text safe to show and to keep as a name: one line, no control characters, no escape sequences. */
export function plainText(text: string, length: number): string {
  const flat = text.replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)/g, '').replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g, ' ').trim()
  return flat.length <= length ? flat : `${flat.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** A name no listed child holds: a taken one gets a number. A child that failed gives its name back. */
export function freeName(wanted: string | undefined, children: readonly Named[]): string {
  const taken = new Set(children.filter(holdsName).map(child => child.record.name))
  const base = plainText(wanted ?? '', MAX_NAME) || `child-${children.length + 1}`
  if (!taken.has(base)) return base
  for (let number = 2; ; number++) if (!taken.has(`${base}-${number}`)) return `${base}-${number}`
}

const holdsName = ({ record, status }: Named): boolean =>
  record.deleted_at === undefined && (status === 'queued' || status === 'running' || status === 'completed')

/** Finds a child by id or name. Of children that had the same name one after another it is the live one, else the last. */
export function findChild<Child extends Named>(key: string, children: readonly Child[]): Child | undefined {
  const named = children.filter(child => child.record.name === key)
  return children.find(child => child.record.id === key) ?? named.findLast(holdsName) ?? named.at(-1)
}
