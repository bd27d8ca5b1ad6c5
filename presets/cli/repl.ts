import type { Arguments } from './flags.ts'
import type { Io } from './io.ts'
import { misuse } from './misuse.ts'
import { withNotebook } from './notebook.ts'
import { Repl } from './repl/session.ts'

/** The notebook on a terminal. */
export function repl(args: Arguments, io: Io): Promise<number> {
  if (args.has('json')) throw misuse('--json is for programs: use it with run, exec or piped input')
  return withNotebook(args, io, true, async notebook => {
    await new Repl(notebook, io).run()
    return 0
  })
}
