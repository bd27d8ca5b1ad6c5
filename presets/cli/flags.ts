import { parseArgs } from 'node:util'
import { misuse, unknown } from './misuse.ts'

export interface Flag {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  /** What stands for the value in the help. */
  readonly value?: string
  readonly help: string
}
export type Flags = Readonly<Record<string, Flag>>

/** Flags of every command that opens a notebook. */
export const NOTEBOOK_FLAGS = {
  preset: { type: 'string', value: 'NAME|FILE', help: 'the preset: one of ours by name, or a module that exports `preset` (PI_RLM_PRESET; default: default)' },
  cwd: { type: 'string', value: 'DIR', help: 'working directory of the cells (default: this one)' },
  snapshot: { type: 'string', value: 'PATH', help: 'folder in which names are kept; revived at start (default: nothing is kept)' },
  'max-output': { type: 'string', value: 'N', help: 'characters kept of each channel of a cell and of its result' },
  json: { type: 'boolean', help: 'results as JSON, for programs' },
  help: { type: 'boolean', short: 'h', help: 'this text' },
} as const satisfies Flags

export interface Arguments {
  readonly text: (name: string) => string | undefined
  readonly has: (name: string) => boolean
  readonly positionals: readonly string[]
}

/** Reads arguments against the flags of a command; whatever is not one of them is refused by name. */
export function readFlags(argv: readonly string[], flags: Flags): Arguments {
  const { values, positionals, tokens } = parse(argv, flags)
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined
    if (flag === undefined) throw unknown('flag', token.rawName, Object.keys(flags).map(name => `--${name}`))
    const value: string | undefined = token.value
    if (flag.type === 'boolean' && value !== undefined) throw misuse(`${token.rawName} takes no value, got '${value}'`)
    if (flag.type === 'string' && (value === undefined || value === '' || (token.inlineValue === false && /^--?\w/.test(value)))) throw misuse(`${token.rawName} needs a value: ${token.rawName} ${flag.value ?? 'VALUE'}`)
  }
  return {
    text: name => typeof values[name] === 'string' ? values[name] : undefined,
    has: name => values[name] === true,
    positionals,
  }
}

/** Where the first argument stands that is neither a flag nor the value of one; -1 without one. */
export function firstPositional(argv: readonly string[], flags: Flags): number {
  return parse(argv, flags).tokens.find(token => token.kind === 'positional')?.index ?? -1
}

function parse(argv: readonly string[], flags: Flags) {
  const options = Object.fromEntries(Object.entries(flags).map(([name, { type, short }]) => [name, { type, ...(short !== undefined && { short }) }]))
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true })
}

/** A whole number above zero, or an error that names where it came from. */
export function positiveInteger(where: string, text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw misuse(`${where} must be a whole number above 0, got '${text}'`)
  return Number(text)
}
