import util from 'node:util'
import { currentCell } from '../context.ts'
import { formatter, inspect } from '../describe/inspector.ts'
import { keepMethods } from '../keep-methods.ts'
import type { Channel } from '../protocol.ts'

const { apply } = Reflect
const { create } = Object
const { replaceAll } = String.prototype
const native = globalThis.console
const PLAIN = { colors: false }
const { now } = performance
const clock = performance

type Print = (channel: Channel, text: string | Uint8Array) => void
type Method = (...args: unknown[]) => void

/** Runs the engine's own work with the globals it was made for. */
export type Clean = <T>(work: () => T) => T

const format = (args: readonly unknown[]): string => apply(formatter(), util, withPlain(args)) as string

/** Text of a console call; a value that breaks while it is shown does not break the cell, nor does a replaced global. */
function formattedBy(clean: Clean): (args: readonly unknown[]) => string {
  return args => {
    try { return format(args) } catch { return safely(() => clean(() => format(args))) }
  }
}

/** The arguments after the options, as a list that neither a replaced iterator nor a setter on a prototype can change. */
function withPlain(args: readonly unknown[]): ArrayLike<unknown> {
  const list = create(null) as Record<number, unknown> & { length: number }
  list.length = args.length + 1
  list[0] = PLAIN
  for (let i = 0; i < args.length; i++) list[i + 1] = args[i]
  return list
}

/** A console whose text goes to the cell that calls it. The same formatting in both runtimes, so the same text. */
export function createConsole(print: Print, clean: Clean): Record<string, Method> {
  const formatted = formattedBy(clean)
  const indents = keepMethods(new WeakMap<object, string>())
  const counts = keepMethods(new Map<string, number>())
  const timers = keepMethods(new Map<string, number>())
  const nobody = {}
  const owner = (): object => currentCell() ?? nobody
  const line = (channel: Channel, text: string): void => {
    const indent = indents.get(owner()) ?? ''
    print(channel, `${indent === '' ? text : indent + (apply(replaceAll, text, ['\n', `\n${indent}`]) as string)}\n`)
  }
  const writer = (channel: Channel): Method => (...args) => { line(channel, formatted(args)) }
  const log = writer('stdout')
  const error = writer('stderr')
  const group: Method = (...args) => {
    if (args.length > 0) apply(log, undefined, args)
    indents.set(owner(), `${indents.get(owner()) ?? ''}  `)
  }
  const elapsed = (label: string): string => `${label}: ${((apply(now, clock, []) as number) - (timers.get(label) ?? 0)).toFixed(3)}ms`
  const timed = (label: string, rest: readonly unknown[], end: boolean): void => {
    if (!timers.has(label)) { error(`No timer named '${label}'`); return }
    log(elapsed(label), ...rest)
    if (end) timers.delete(label)
  }
  return {
    log, info: log, debug: log, dirxml: log, warn: error, error,
    trace: (...args) => { line('stderr', `Trace${args.length > 0 ? `: ${formatted(args)}` : ''}`) },
    dir: (value, options) => { line('stdout', safely(() => inspect(value, { customInspect: false, ...(options as object), colors: false }))) },
    assert: (condition, ...args) => { if (!condition) line('stderr', `Assertion failed${args.length > 0 ? `: ${formatted(args)}` : ''}`) },
    count: (label = 'default') => {
      const name = String(label)
      counts.set(name, (counts.get(name) ?? 0) + 1)
      log(`${name}: ${counts.get(name)}`)
    },
    countReset: (label = 'default') => { counts.delete(String(label)) },
    group, groupCollapsed: group,
    groupEnd: () => { indents.set(owner(), (indents.get(owner()) ?? '').slice(2)) },
    time: (label = 'default') => { timers.set(String(label), apply(now, clock, []) as number) },
    timeLog: (label = 'default', ...rest) => { timed(String(label), rest, false) },
    timeEnd: (label = 'default') => { timed(String(label), [], true) },
    table: (...args) => { line('stdout', table(args)) },
    clear: () => {}, timeStamp: () => {}, profile: () => {}, profileEnd: () => {},
  }
}

function safely(work: () => string): string {
  try { return work() } catch { return '[a value that cannot be shown]' }
}

/** The table is drawn by the runtime's own console, into a string. Its class is not kept from the start, as it loads the runtime's streams. */
function table(args: readonly unknown[]): string {
  let text = ''
  const sink = { write: (chunk: string) => { text += chunk; return true }, on: () => sink, once: () => sink, removeListener: () => sink, listenerCount: () => 0 }
  return safely(() => {
    const drawer = new native.Console({ stdout: sink as never, stderr: sink as never, colorMode: false })
    apply(drawer.table.bind(drawer) as Method, undefined, args)
    return text.replace(/\n$/, '')
  })
}
