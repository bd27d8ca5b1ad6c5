import util from 'node:util'

type Inspector = Pick<typeof util, 'inspect' | 'formatWithOptions'>

let loaded: Inspector | undefined
const load = (): Inspector => loaded ??= { inspect: util.inspect, formatWithOptions: util.formatWithOptions }

/** bun reads its inspector in with the first look at it: not on the way to a ready guest, and never after a cell that may have replaced what it is made of. */
export const loadInspector = (): void => { load() }

/** `util.inspect` as it was before the first cell. */
export const inspect = (value: unknown, options: util.InspectOptions): string => load().inspect(value, options)

/** `util.formatWithOptions` as it was before the first cell. */
export const formatter = (): Inspector['formatWithOptions'] => load().formatWithOptions

/** What objects put their own inspector under. */
export const custom: typeof util.inspect.custom = Symbol.for('nodejs.util.inspect.custom') as typeof util.inspect.custom
