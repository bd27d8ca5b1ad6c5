import { Type } from '@sinclair/typebox'
import { definePlugin, guestHalf } from '../../kernel/plugin.ts'
import type half from './guest.ts'

/** Packages in a cell: `npm:` imports, installed once into a cache apart from the working directory. */
export const npmCache = definePlugin({
  name: 'npm-cache',
  options: Type.Object({
    /** Names of packages whose install scripts may run. */
    scripts: Type.Array(Type.String(), { default: [] }),
    /** How long a tag or range stands for the version it was resolved to. */
    maxAgeHours: Type.Number({ minimum: 0, default: 24 }),
    /** The longest an install may take. */
    timeoutMs: Type.Integer({ minimum: 1, default: 300_000 }),
    /** The longest an install may move no data; on a busy machine an installer takes seconds to start before it counts. */
    stallMs: Type.Integer({ minimum: 1, default: 15_000 }),
  }),
  guest: guestHalf<typeof half>(import.meta.url, './guest'),
})
