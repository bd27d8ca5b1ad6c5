import type { Arguments, Flags } from './flags.ts'
import { NOTEBOOK_FLAGS } from './flags.ts'
import type { Io } from './io.ts'

export interface Command {
  readonly name: string
  readonly usage: string
  readonly summary: string
  /** What the help says below the flags. */
  readonly notes: string
  readonly flags: Flags
  /** Loads the code only when it is asked for, so that `--help` is quick. */
  readonly load: () => Promise<(args: Arguments, io: Io) => Promise<number>>
}

const { json, help } = NOTEBOOK_FLAGS
const CODES = 'Exit codes: 0 all went well; 1 a cell failed, or the notebook could not be started; 2 asked for wrongly; 128+N ended by signal N.'

/** What `pi-rlm` does without a command. */
export const notebook: Command = {
  name: '', usage: 'pi-rlm [FLAGS]', summary: 'opens the notebook; piped input runs as one cell',
  notes: `On a terminal: cells over several lines, history, completion of names. Ctrl-C cancels the running cell and not
the notebook; at an empty prompt twice, it leaves. .help tells the rest.
Piped: standard input is one cell; its output and result are printed. What it has not awaited when it ends is cut off
with the process.

${CODES}`,
  flags: { ...NOTEBOOK_FLAGS, version: { type: 'boolean', short: 'v', help: 'the version of pi-rlm' } },
  load: async () => {
    const [{ piped }, { repl }] = await Promise.all([import('./piped.ts'), import('./repl.ts')])
    return (args, io) => io.stdin.isTTY ? repl(args, io) : piped(args, io)
  },
}

/** The commands by name. */
export const commands: readonly Command[] = [
  {
    name: 'run', usage: 'pi-rlm run [FLAGS] FILE…', summary: 'runs files, split into cells at `// %%` lines',
    notes: `All files share one notebook. Output and results are printed as they come; the first cell that fails is named and ends
the run. '-' is standard input. With --json: one line a cell, {"file","line", …the cell's result}.

${CODES}`,
    flags: NOTEBOOK_FLAGS,
    load: async () => (await import('./run.ts')).run,
  },
  {
    name: 'exec', usage: 'pi-rlm exec [FLAGS]', summary: 'cells from and results to programs, one JSON object a line',
    notes: `In:   {"id","code","timeoutMs"?,"json"?}
      {"id","op":"snapshot"|"restore"|"names"}          in their turn, after the lines before them; restore takes "generation"
      {"id","op":"abort","cell"}                        at once
Out:  {"event":"ready","preset","runtime","restore"}    first
      {"id","stream":"stdout"|"stderr","text"}          as it comes
      {"id","cell","status","stdout","stderr","result"?,"value"?,"error"?,"durationMs",…}   one line a cell
      {"id","op",…}                                     one line an op
      {"event":"error","line","id"?,"message"}          a line that was not understood; the others run
--json asks for "value" of every cell. A cell whose guest died is answered with error.name "GuestDied"; the notebook
goes on with a new guest. A cell may run 30 minutes unless "timeoutMs" or PI_RLM_CELL_TIMEOUT_MS says otherwise.
At the end of input the cells that wait are finished; the exit code is then 0, or 2 when a line was not understood.`,
    flags: { ...NOTEBOOK_FLAGS, json: { type: 'boolean', help: 'asks for the value of every cell as JSON' } },
    load: async () => (await import('./exec.ts')).exec,
  },
  {
    name: 'state', usage: 'pi-rlm state [FLAGS] PATH', summary: 'what a state folder holds, and whether it is sound',
    notes: `Shows generations, names, types, sizes and hashes, and a verdict. Nothing is changed without --repair, which
ends with a generation that lacks the names whose bytes are lost; generations before it stay.

Exit codes: 0 sound; 1 damaged; 2 asked for wrongly.`,
    flags: {
      generation: { type: 'string', value: 'N', help: 'the generation to show or to export from (default: the last)' },
      repair: { type: 'boolean', help: 'sets aside what does not verify, and goes on from what is sound' },
      export: { type: 'string', value: 'NAME', help: 'prints one value: JSON when it is plain data, as the notebook shows it otherwise' },
      preset: { type: 'string', value: 'NAME|FILE', help: 'the preset that reads an exported value (default: by the runtime that wrote it)' },
      json, help,
    },
    load: async () => (await import('./state.ts')).state,
  },
  {
    name: 'doctor', usage: 'pi-rlm doctor [FLAGS]', summary: 'what was found, what is missing and how to get it',
    notes: 'Exit code 0 when the notebook can be started, 1 when it cannot.',
    flags: { json, help, preset: NOTEBOOK_FLAGS.preset, cwd: NOTEBOOK_FLAGS.cwd },
    load: async () => (await import('./doctor.ts')).doctor,
  },
]
