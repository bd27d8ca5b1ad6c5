import { buffer } from 'node:stream/consumers'
import type { Arguments } from './flags.ts'
import type { Io } from './io.ts'
import { misuse } from './misuse.ts'
import { withNotebook } from './notebook.ts'
import { showCell } from './show.ts'

/** Runs all of standard input as one cell. */
export function piped(args: Arguments, io: Io): Promise<number> {
  return withNotebook(args, io, io.stderr.isTTY || io.stdout.isTTY, async notebook => {
    // The guest starts while the text is still on its way; a failure to start is told by the cell.
    notebook.supervisor.start().catch(() => {})
    notebook.ending.addEventListener('abort', () => { io.stdin.destroy() })
    const code = decode(await buffer(io.stdin))
    const result = await showCell(notebook, io, { code, json: args.has('json') ? {} : null })
    return result.status === 'ok' ? 0 : 1
  })
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw misuse('standard input is not text in UTF-8', cause)
  }
}
