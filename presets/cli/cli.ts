import { type Command, commands, notebook } from './commands.ts'
import { firstPositional, type Flags, readFlags } from './flags.ts'
import { helpOf } from './help.ts'
import { type Io, write } from './io.ts'
import { exitCodeOf, messageOf, unknown } from './misuse.ts'
import { version } from './version.ts'

/** Runs the command line and answers its exit code; every failure is told on stderr in words. */
export async function cli(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io)
  } catch (error) {
    await write(io.stderr, `pi-rlm: ${messageOf(error)}\n`)
    return exitCodeOf(error)
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const every: Flags = Object.assign({}, notebook.flags, ...commands.map(({ flags }) => flags)) as Flags
  const at = firstPositional(argv, every)
  // What stands before the command is read strictly first: an unknown flag there would make its value the command.
  const name = argv[at] ?? ''
  readFlags(at < 0 ? argv : argv.slice(0, at), at < 0 ? notebook.flags : commands.find(command => command.name === name)?.flags ?? every)
  const rest = at < 0 ? argv : [...argv.slice(0, at), ...argv.slice(at + 1)]
  if (name === 'help') return dispatch([...rest, '--help'], io)
  return runCommand(at < 0 ? notebook : find(name), rest, io)
}

async function runCommand(command: Command, argv: readonly string[], io: Io): Promise<number> {
  const args = readFlags(argv, command.flags)
  if (args.has('help')) { await write(io.stdout, helpOf(command)); return 0 }
  if (args.has('version')) { await write(io.stdout, `${version()}\n`); return 0 }
  return (await command.load())(args, io)
}

function find(name: string): Command {
  const found = commands.find(command => command.name === name)
  if (found === undefined) throw unknown('command', name, commands.map(command => command.name))
  return found
}
