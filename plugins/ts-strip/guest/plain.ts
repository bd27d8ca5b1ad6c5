import { Script } from 'node:vm'
import { isJavaScript, parseCell } from '../../../guest/cell/parse.ts'

/** `f<T>(x)`: two comparisons in JavaScript, a call in TypeScript. A mistaken yes only costs a look by the compiler. */
const GENERIC_CALL = /[\w$)\]]\s*<[\s\w$.,:|&"'`()[\]{}<>-]{1,400}?>\s*(?:[(`]|[^\S\n]*\n)/
const NEEDS_LOOK = /@|\baccessor\b|\busing\b/

/** Whether a cell is JavaScript that means the same as TypeScript, and that the engine runs as it is. */
export function isPlain(source: string): boolean {
  if (!isJavaScript(source)) return false
  if (GENERIC_CALL.test(source)) return false
  return !NEEDS_LOOK.test(source) || !needsLowering(source)
}

/** Whether JavaScript uses syntax this engine lacks: decorators and accessors anywhere, `using` in older ones. */
export function needsLowering(source: string): boolean {
  return NEEDS_LOOK.test(source) && isJavaScript(source) && hasNew(parseCell(source).tree)
}

function hasNew(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  if (Array.isArray(node)) return node.some(hasNew)
  const { type, kind, decorators } = node as { type?: string; kind?: string; decorators?: readonly unknown[] }
  if (type === 'AccessorProperty' || (decorators?.length ?? 0) > 0) return true
  if (type === 'VariableDeclaration' && (kind === 'using' || kind === 'await using') && !engineHasUsing()) return true
  return Object.values(node).some(hasNew)
}

let hasUsing: boolean | undefined

export function engineHasUsing(): boolean {
  if (hasUsing === undefined) {
    try {
      hasUsing = new Script('(async function() { using a = null; await using b = null })') !== null
    } catch {
      hasUsing = false
    }
  }
  return hasUsing
}
