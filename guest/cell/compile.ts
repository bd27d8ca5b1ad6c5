import { Script } from 'node:vm'
import { RUNTIME, SCOPE, boxName } from './private-names.ts'

type Compiled = (...args: unknown[]) => unknown

const { runInThisContext } = Script.prototype
const { apply } = Reflect
const ScriptClass = Script

const { includes } = String.prototype

/** Compiles an expression; `filename` is what stack traces show. */
export function compileScript(code: string, filename: string): Compiled {
  // The last such comment wins; an empty one leaves the file's name.
  const named = apply(includes, code, ['sourceURL=']) ? `${code}\n//# sourceURL=` : code
  return apply(runInThisContext, new ScriptClass(named, { filename }), []) as Compiled
}

/** How a body is wrapped, without line breaks before it. */
export interface Wrapped { readonly code: string; readonly before: number }

/** Wraps a body so that calling the compiled code hands it its names. `scoped`: with the scope object under them. */
export function wrapBody(body: string, boxes: readonly string[], scoped: boolean): Wrapped {
  const params = [RUNTIME, ...boxes.map(boxName)].join(', ')
  const inner = `function(${params}) { "use strict"; return async function() {`
  const before = scoped ? `(function(${SCOPE}) { with (${SCOPE}) { return ${inner}` : `(${inner}`
  return { code: `${before}${body}\n}${scoped ? ' } } })' : ' })'}`, before: before.length }
}
