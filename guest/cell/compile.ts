import v8 from 'node:v8'
import { Script } from 'node:vm'
import { RUNTIME, SCOPE, boxName } from './private-names.ts'

type Compiled = (...args: unknown[]) => unknown

const { runInThisContext } = Script.prototype
const { apply } = Reflect
const ScriptClass = Script
const { setFlagsFromString } = v8
const onV8 = process.versions['bun'] === undefined

const { includes } = String.prototype

/** Compiles an expression; `filename` is what stack traces show. */
export function compileScript(code: string, filename: string): Compiled {
  // The last such comment wins; an empty one leaves the file's name.
  const named = apply(includes, code, ['sourceURL=']) ? `${code}\n//# sourceURL=` : code
  return apply(runInThisContext, uncached(() => new ScriptClass(named, { filename })), []) as Compiled
}

/** V8 keeps a script for those that have the same text, long after its last function is gone. No cell has: each has a name of its own. */
function uncached<T>(compile: () => T): T {
  if (!onV8) return compile()
  setFlagsFromString('--no-compilation-cache')
  try { return compile() } finally { setFlagsFromString('--compilation-cache') }
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
