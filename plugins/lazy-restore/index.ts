import { Type } from '@sinclair/typebox'
import { definePlugin, guestHalf } from '../../kernel/plugin.ts'
import type half from './guest.ts'

/** Leaves saved values that are both large and long untouched on disk until something reads them. */
export const lazyRestore = definePlugin({
  name: 'lazy-restore',
  options: Type.Object({
    minBytes: Type.Integer({ default: 131_072, minimum: 0 }),
    minAgeCells: Type.Integer({ default: 8, minimum: 0 }),
  }),
  guest: guestHalf<typeof half>(import.meta.url, './guest'),
})
