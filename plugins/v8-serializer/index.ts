import { definePlugin, guestHalf } from '../../kernel/plugin.ts'
import type half from './guest.ts'

/** The runtime's own serializer: fast, at its best with large data; only the same runtime reads it back. */
export const v8Serializer = definePlugin({ name: 'v8-serializer', guest: guestHalf<typeof half>(import.meta.url, './guest') })
