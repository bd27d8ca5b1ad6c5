import { definePlugin, guestHalf } from '../../kernel/plugin.ts'
import type half from './guest.ts'

/** Text that every runtime reads: what is small, and what must outlive a change of runtime. */
export const serovalSerializer = definePlugin({ name: 'seroval-serializer', guest: guestHalf<typeof half>(import.meta.url, './guest') })
