import { type ESTree, parse, isParseError } from 'meriyah'
import { CellSyntaxError } from './syntax-error.ts'

/** A node with its place; meriyah always sets it when asked for ranges. */
export const from = (node: ESTree._Node): number => node.start ?? 0
export const to = (node: ESTree._Node): number => node.end ?? 0

/** A text and its tree. `code` is the text, in parentheses when it is an object literal that a module would read as a block. */
export interface Parsed { readonly code: string; readonly tree: ESTree.Program }

let lastText: string | undefined
let lastParsed: Parsed | CellSyntaxError | undefined

/** Reads a text as the body of a module that may also return; throws a CellSyntaxError. The last one is remembered. */
export function parseCell(text: string): Parsed {
  if (text !== lastText || lastParsed === undefined) {
    lastParsed = read(text)
    lastText = text
  }
  if (lastParsed instanceof CellSyntaxError) throw lastParsed
  return lastParsed
}

/** Whether a text is JavaScript as it stands. */
export function isJavaScript(text: string): boolean {
  try {
    parseCell(text)
    return true
  } catch {
    return false
  }
}

function read(text: string): Parsed | CellSyntaxError {
  if (mayBeObject(text)) {
    const code = `(${text}\n)`
    try {
      return { code, tree: parseReturning(code) }
    } catch {
      // A block, then, or an error that is told best about the text as it stands.
    }
  }
  try {
    return { code: text, tree: parseReturning(text) }
  } catch (error) {
    if (error instanceof CellSyntaxError) return error
    throw error
  }
}

/** Whether a text may be an object literal that a module would read as a block. */
export const mayBeObject = (text: string): boolean => /^\s*\{/.test(text) && /\}\s*$/.test(text)

const OPTIONS = { sourceType: 'module', next: true, ranges: true, lexical: true, validateRegex: false } as const

/**
 * meriyah refuses `return` in a module, so each one it complains about is read as a `throw` of the same length, and
 * turned back in the tree.
 */
function parseReturning(text: string): ESTree.Program {
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
      if (description !== 'Illegal return statement' || returns.has(start)) throw explain(text, description, start, end)
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

function explain(text: string, description: string, start: number, end: number): CellSyntaxError {
  const hint = HINTS.find(([pattern]) => pattern.test(description))?.[1]
  return new CellSyntaxError(hint ?? description, text, start, end - start)
}
