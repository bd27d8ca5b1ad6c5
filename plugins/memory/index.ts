import { definePlugin, guestHalf } from '../../kernel/plugin.ts'
import type half from './guest.ts'

/** `rlm.names()`, `rlm.forget(name)` and `rlm.resetGlobals()`: the notebook's memory in the hands of its user. */
export const memory = definePlugin({ name: 'memory', guest: guestHalf<typeof half>(import.meta.url, './guest') })
