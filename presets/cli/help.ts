import { type Command, commands, notebook } from './commands.ts'
import type { Flags } from './flags.ts'

/** The help of a command, or of the whole. */
export function helpOf(command: Command): string {
  const parts = [`Usage: ${command.usage}\n\n${capital(command.summary)}.`, ...(command === notebook ? [commandList()] : []), `Flags:\n${flagList(command.flags)}`, command.notes]
  return `${parts.join('\n\n')}\n`
}

const commandList = (): string => `Commands (each takes --help):\n${aligned(commands.map(({ usage, summary }) => [usage, summary] as const))}`

const flagList = (flags: Flags): string => aligned(Object.entries(flags).map(([name, { short, value, help }]) =>
  [`${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`, help] as const))

function aligned(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
