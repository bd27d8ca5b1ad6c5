import path, { join as j, "sep" as s } from 'node:path'
import * as os from 'node:os'
import data from './d.json' with { type: 'json' }
export const a = await import('./x.mjs')
export { a as b }
export { c } from './y.mjs'
export * from './z.mjs'
import.meta.url
