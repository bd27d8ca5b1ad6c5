import { Type } from '@sinclair/typebox'
import { definePlugin, guestHalf } from '../../kernel/plugin.ts'
import { announcement } from './announce.ts'
import type half from './guest.ts'

const Characters = (value: number, description: string) => Type.Integer({ default: value, minimum: 0, description })

/**
 * Cuts each channel of a cell, and its result, at a cap: the guest half keeps head, tail and totals and writes the
 * whole to a file; this half says what was cut.
 */
export const outputCaps = definePlugin({
  name: 'output-caps',
  options: Type.Object({
    stdout: Characters(30_000, 'characters of stdout kept of a cell'),
    stderr: Characters(10_000, 'characters of stderr kept of a cell'),
    result: Characters(30_000, 'characters of a result kept'),
    spillBytes: Type.Integer({ default: 1 << 30, minimum: 0, description: 'largest spill file; the rest is only counted' }),
    keep: Type.Object({
      files: Type.Integer({ default: 200, minimum: 0, description: 'spill files of earlier sessions that stay, the newest of them' }),
      bytes: Type.Integer({ default: 1 << 30, minimum: 0, description: 'bytes of all spill files together, of which those of earlier sessions go first' }),
      days: Type.Number({ default: 30, minimum: 0, description: 'days for which a spill file of an earlier session stays' }),
    }, { default: {}, description: 'what stays of earlier sessions beside a state; it is looked at when a session spills for the first time' }),
    folder: Type.String({ default: '', description: 'where spill files go when no state is kept; empty: a folder that goes with the engine' }),
  }),
  guest: guestHalf<typeof half>(import.meta.url, './guest'),
  host(host) {
    host.hooks.onOutput.tap('output-caps', chunk => chunk.end === undefined ? chunk : { ...chunk, text: announcement(chunk.channel, chunk.seen, chunk.end) })
  },
})
