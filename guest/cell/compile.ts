import { Script } from 'node:vm'
import { RUNTIME, SCOPE, boxName } from './private-names.ts'

type Compiled = (...args: unknown[]) => unknown

const { runInThisContext } = Script.prototype
const { apply } = Reflect
const ScriptClass = Script

/** Compiles an expression; `filename` is what stack traces show. */
export function compileScript(code: string, filename: string): Compiled {
  return apply(runInThisContext, new ScriptClass(code, { filename }), []) as Compiled
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
