import { statSync } from 'node:fs'
import type { Guest } from '../../../guest/guest.ts'
import type { Channel } from '../../../guest/protocol.ts'
import { openSink } from '../../../guest/processes/sink.ts'
import { ShellError, ShellOutput } from './output.ts'
import { type Settings, ShellPromise } from './promise.ts'
import { quoted } from './quote.ts'
import type { Runner, Script, ShellResult } from './run.ts'
import { asText, checkValues } from './values.ts'

type Env = Readonly<Record<string, string | undefined>>

/** `$` as cells see it. */
export interface Shell {
  (strings: TemplateStringsArray, ...values: readonly unknown[]): ShellPromise
  /** Defaults for the commands that follow. */
  cwd(folder?: string): Shell
  env(variables?: Env): Shell
  nothrow(): Shell
  throws(throws: boolean): Shell
  /** A text as one word of a command. */
  escape(text: string): string
  /** Bun's own, where there is bun. */
  braces?(pattern: string): unknown
}

export interface ShellParts { readonly guest: Pick<Guest, 'currentCell'>; readonly run: Runner }

/** Makes a `$` with defaults of its own. */
export function createShell(parts: ShellParts): Shell {
  const defaults: Settings = { cwd: undefined, env: undefined, throws: true, quiet: false }
  const shell = (strings: TemplateStringsArray, ...values: readonly unknown[]): ShellPromise => {
    if (!Array.isArray((strings as Partial<TemplateStringsArray> | undefined)?.raw)) throw new TypeError('$ is a template tag: write $`command ${argument}`')
    const script = { strings, values: checkValues(strings, values) }
    return new ShellPromise(commandText(script), defaults, settings => execute(parts, script, settings))
  }
  const set = (change: Partial<Settings>): Shell => {
    Object.assign(defaults, change)
    return made
  }
  const made: Shell = Object.assign(shell, {
    cwd: (cwd?: string) => set({ cwd }),
    env: (env?: Env) => set({ env }),
    nothrow: () => set({ throws: false }),
    throws: (throws: boolean) => set({ throws }),
    escape: (text: string) => quoted(text, 'plain'),
    Shell: function Shell() { return createShell(parts) },
    ShellPromise, ShellError, ShellOutput,
  })
  return Object.defineProperty(made, 'name', { value: '$' })
}

/** Runs a script for the cell that awaits it; a cancelled cell runs none. */
async function execute({ guest, run }: ShellParts, script: Script, { cwd = process.cwd(), env = process.env, quiet }: Readonly<Settings>): Promise<ShellResult> {
  const cell = guest.currentCell()
  if (cell?.state === 'aborted') throw new Error(`cell ${cell.number} was cancelled: it can no longer start a process`)
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) throw new Error(`the working directory '${cwd}' does not exist`)
  const sinks = { stdout: openSink(cell, 'stdout', () => {}), stderr: openSink(cell, 'stderr', () => {}) }
  const say = (channel: Channel, bytes: Uint8Array): void => { sinks[channel].write(bytes) }
  try {
    return await run({ script, cwd, env, say: quiet ? null : say })
  } finally {
    sinks.stdout.end()
    sinks.stderr.end()
  }
}

const COMMAND_CHARS = 200

/** The command for an error message, with its values as they would be typed. */
function commandText({ strings, values }: Script): string {
  const text = strings.raw.map((piece, index) => index < values.length ? piece + shown(values[index]) : piece).join('').trim()
  return text.length > COMMAND_CHARS ? `${text.slice(0, COMMAND_CHARS)}…` : text
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(' ')
  return typeof value === 'object' && value !== null ? '…' : quoted(asText(value), 'plain')
}
