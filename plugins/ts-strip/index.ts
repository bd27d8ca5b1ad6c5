import { Type } from '@sinclair/typebox'
import { definePlugin, guestHalf } from '../../kernel/plugin.ts'
import type half from './guest.ts'

/** Reads cells as TypeScript. `idleMs`: how long the notebook is idle before the compiler is loaded ahead of need; 0 never. */
export const tsStrip = definePlugin({
  name: 'ts-strip',
  options: Type.Object({ idleMs: Type.Integer({ default: 4000, minimum: 0 }) }),
  guest: guestHalf<typeof half>(import.meta.url, './guest'),
})
