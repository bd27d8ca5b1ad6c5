import { ExecSession } from './exec/session.ts'
import { readLines } from './exec/lines.ts'
import type { Arguments } from './flags.ts'
import { type Io, write } from './io.ts'
import { messageOf, misuse } from './misuse.ts'
import { type Notebook, withNotebook } from './notebook.ts'

/** One JSON object a line, in and out; ends when the input has ended and every line is answered. */
export function exec(args: Arguments, io: Io): Promise<number> {
  const [stranger] = args.positionals
  if (stranger !== undefined) throw misuse(`exec takes no file, got '${stranger}': cells come on standard input, one JSON object a line. To run a file: pi-rlm run ${stranger}`)
  return withNotebook(args, io, false, notebook => serve(notebook, io, args.has('json')))
}

async function serve(notebook: Notebook, io: Io, json: boolean): Promise<number> {
  const answer = (line: object): Promise<void> => write(io.stdout, `${JSON.stringify(line)}\n`)
  const session = new ExecSession(notebook, answer, json)
  // Reading begins at once, so that what is sent while the guest starts can already be cancelled.
  const read = readLines(io.stdin, line => { session.take(line) }, () => session.queue.roomForMore()).finally(() => { session.queue.close() })
  try {
    await session.start()
  } catch (error) {
    await answer({ event: 'error', message: messageOf(error) })
    throw error
  }
  notebook.ending.addEventListener('abort', () => { session.queue.close(); io.stdin.destroy() })
  await Promise.all([session.work(), read])
  return session.refused ? 2 : 0
}
