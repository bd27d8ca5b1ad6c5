import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { definePlugin, type Host } from '../../kernel/plugin.ts'
import type { ToolCall } from '../../kernel/hooks.ts'

/** One line of `calls.jsonl`: which cell called what, and what became of it. Neither arguments nor results are kept. */
export interface LedgerLine {
  readonly at: string
  readonly cell: number
  readonly id: string
  readonly tool: string
  readonly status: 'ok' | 'error' | 'denied'
  readonly ms: number
}

/** Writes down the calls that cells make to the host, beside the session's state. */
export const ledger = definePlugin({
  name: 'ledger',
  host(host) {
    const { statePath } = host
    if (statePath !== null) write(host, statePath)
  },
})

function write(host: Host, folder: string): void {
  let last: Promise<void> = mkdir(folder, { recursive: true, mode: 0o700 }).then(() => {})
  let failed = false
  host.hooks.onToolCall.tapPromise('ledger', call => {
    const at = new Date().toISOString()
    last = Promise.all([call.settled, last]).then(([outcome]) => appendFile(join(folder, 'calls.jsonl'), `${JSON.stringify(lineOf(call, at, outcome))}\n`, { mode: 0o600 })).catch((error: unknown) => {
      if (!failed) host.notice(`The ledger of calls cannot be written: ${(error as Error).message}`)
      failed = true
    })
    return Promise.resolve(undefined)
  })
  host.onDispose(() => last)
}

const lineOf = ({ cell, handle, name }: ToolCall, at: string, { status, durationMs }: Awaited<ToolCall['settled']>): LedgerLine =>
  ({ at, cell: cell.number, id: cell.id, tool: `${handle}.${name}`, status, ms: Math.round(durationMs) })
