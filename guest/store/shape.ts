/** What objects have beside what their kind says, found out without listing every item. */
import { types } from 'node:util'
import { inspect } from '../describe/inspector.ts'
import { ownKeys } from './safe.ts'

const { isDataView } = types

/** Whether a view has keys beside its items; not by listing the keys, as each item is one. */
export const viewHasExtras = (view: ArrayBufferView): boolean =>
  isDataView(view) ? ownKeys(view).length > 0 : inspect(view, { maxArrayLength: 0, depth: 0, compact: true, breakLength: Infinity }).includes(': ')

/** A list with keys beside its items: `inspect` of no items finds that out without visiting each. */
export const hasExtras = (list: readonly unknown[]): boolean => inspect(list, { maxArrayLength: 0, depth: 0 }) !== `[ ... ${list.length} more items ]`

export const isIndex = (key: string): boolean => String(+key >>> 0) === key && key !== '4294967295'

/** Own keys that errors have anyway; where they come from differs by runtime. */
const PLACE: readonly string[] = ['stack', 'line', 'column', 'sourceURL', 'originalLine', 'originalColumn']
export const isPlaceOfError = (key: string | symbol): boolean => typeof key === 'string' && PLACE.includes(key)
