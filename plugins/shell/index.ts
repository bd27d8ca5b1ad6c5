import { definePlugin, guestHalf } from '../../kernel/plugin.ts'
import type half from './guest.ts'

/** `$` and `Bun.$`: shell commands whose results are values, the same on both guests. */
export const shell = definePlugin({ name: 'shell', guest: guestHalf<typeof half>(import.meta.url, './guest') })
