import { type ESTree, parse, isParseError } from 'meriyah'
import { CellSyntaxError } from './syntax-error.ts'

/** A node with its place; meriyah always sets it when asked for ranges. */
export const from = (node: ESTree._Node): number => node.start ?? 0
export const to = (node: ESTree._Node): number => node.end ?? 0

/** A text and its tree. `code` is the text, in parentheses when it is an object literal that a module would read as a block. */
export interface Parsed { readonly code: string; readonly tree: ESTree.Program }

/** Why a text cannot be read; an error is only made of it when it is told. */
class Unreadable {
  readonly reason: string
  readonly start: number
  readonly end: number

  constructor({ description, start, end }: { readonly description: string; readonly start: number; readonly end: number }) {
    this.reason = HINTS.find(([pattern]) => pattern.test(description))?.[1] ?? description
    this.start = start
    this.end = end
  }
}

let lastText: string | undefined
let lastParsed: Parsed | Unreadable | undefined

/** Reads a text as the body of a module that may also return; throws a CellSyntaxError. The last one is remembered. */
export function parseCell(text: string): Parsed {
  const parsed = remembered(text)
  if (parsed instanceof Unreadable) throw new CellSyntaxError(parsed.reason, text, parsed.start, parsed.end - parsed.start)
  return parsed
}

/** Whether a text is JavaScript as it stands. */
export const isJavaScript = (text: string): boolean => !(remembered(text) instanceof Unreadable)

function remembered(text: string): Parsed | Unreadable {
  if (text !== lastText || lastParsed === undefined) {
    lastParsed = read(text)
    lastText = text
  }
  return lastParsed
}

function read(text: string): Parsed | Unreadable {
  const opens = opensObject(text)
  const first = opens && isWholeObject(text) ? asExpression(text) : undefined
  if (first) return first
  const tree = parseReturning(text)
  if (!(tree instanceof Unreadable)) return { code: text, tree }
  // An error is told best about the text as it stands.
  return (opens ? asExpression(text) : undefined) ?? tree
}

/** The text as one expression in parentheses, undefined when it is none: a block, then, or nothing at all. */
function asExpression(text: string): Parsed | undefined {
  const code = inParentheses(text)
  const tree = parseReturning(code)
  return tree instanceof Unreadable ? undefined : { code, tree }
}

/** A text as an expression; a comment at its end must not take the parenthesis with it. */
export const inParentheses = (text: string): string => `(${text}\n)`

const BLANKS = String.raw`(?:\s|\/\/.*|\/\*(?:[^*]|\*(?!\/))*\*\/)*`
const OPENS = new RegExp(`^${BLANKS}\\{`)
const CLOSES = new RegExp(`\\}${BLANKS}$`)

/** Whether a text begins as an object literal or a block. */
export const opensObject = (text: string): boolean => OPENS.test(text)

/** Whether one that begins so may be a single object literal, which a module would read as a block. */
export const isWholeObject = (text: string): boolean => CLOSES.test(text)

const OPTIONS = { sourceType: 'module', next: true, ranges: true, lexical: true, validateRegex: false, webcompat: true } as const

/**
 * meriyah refuses `return` in a module, so each one it complains about is read as a `throw` of the same length, and
 * turned back in the tree.
 */
function parseReturning(text: string): ESTree.Program | Unreadable {
  const { stackTraceLimit } = Error
  // Most errors here only say that a text has types: their stacks would cost more than the rest.
  Reflect.set(Error, 'stackTraceLimit', 0)
  try {
    return parsed(text)
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
  }
}

function parsed(text: string): ESTree.Program | Unreadable {
  const returns = new Set<number>()
  let patched = text
  for (;;) {
    try {
      const tree = parse(patched, OPTIONS)
      if (returns.size > 0) restoreReturns(tree, returns)
      return tree
    } catch (error) {
      if (!isParseError(error)) throw error
      const { start, end, description } = error
      if (description !== 'Illegal return statement' || returns.has(start)) return new Unreadable(error)
      returns.add(start)
      patched = patched.slice(0, start) + replacement(patched, end) + patched.slice(end)
    }
  }
}

function replacement(text: string, end: number): string {
  const rest = /^(?:[^\S\n\r\u2028\u2029]|\/\*[^\n\r]*?\*\/)*/.exec(text.slice(end))?.[0] ?? ''
  const next = text.slice(end + rest.length, end + rest.length + 2)
  return next === '' || next === '//' || /^[;}\n\r\u2028\u2029]/.test(next) ? '0     ' : 'throw '
}

function restoreReturns(node: unknown, returns: ReadonlySet<number>): void {
  if (typeof node !== 'object' || node === null) return
  if (Array.isArray(node)) {
    for (const item of node) restoreReturns(item, returns)
    return
  }
  const statement = node as { type?: string; start?: number; expression?: unknown; argument?: unknown }
  if (returns.has(statement.start ?? -1) && (statement.type === 'ThrowStatement' || statement.type === 'ExpressionStatement')) {
    if (statement.type === 'ExpressionStatement') statement.argument = null
    statement.type = 'ReturnStatement'
  }
  for (const value of Object.values(statement)) restoreReturns(value, returns)
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^Calling delete on expression/, 'A name cannot be deleted: `delete` of an identifier is an error in modules. Use rlm.forget("name") to remove a name from the notebook.'],
]
