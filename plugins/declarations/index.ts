import { definePlugin, guestHalf } from '../../kernel/plugin.ts'
import type half from './guest.ts'

/** Turns a cell's top-level declarations and imports into bindings that later cells see. */
export const declarations = definePlugin({
  name: 'declarations',
  guest: guestHalf<typeof half>(import.meta.url, './guest'),
})
