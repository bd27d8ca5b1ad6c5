import type { Namespace } from '../namespace.ts'
import { held } from './held.ts'
import type { Modules } from './modules.ts'
import { SCOPE, cleanMessage } from './private-names.ts'
import { compileScript } from './compile.ts'

/** What generated text in a body may call. */
export interface CellRuntime {
  /** The names that the cell can see, by name. */
  readonly names: object
  readonly meta: object
  readonly Function: FunctionConstructor
  /** A trailing value, safe to be awaited. */
  held(value: unknown): unknown
  import(specifier: unknown, options?: unknown): Promise<unknown>
  /** Whether a module exports a name; throws when it does not, unless `optional`. */
  has(module: object, name: string, specifier: string, optional: boolean): boolean
  /** Binds a `var` that has no value yet. */
  var(name: string): void
  typeOf(name: string): string
  /** Puts the author's names into the message of an engine's error. */
  caught(error: unknown): void
  /** A function that is handed what `caught` has seen; anything else stays as it is. */
  handler(given: unknown): unknown
}

export interface RuntimeParts {
  readonly namespace: Namespace
  readonly modules: Modules
  readonly scope: object
}

/** The object a body knows as its runtime. */
export function createRuntime({ namespace, modules, scope }: RuntimeParts): CellRuntime {
  let meta: object | undefined
  let make: FunctionConstructor | undefined
  return {
    names: scope,
    // Few cells ask for these two.
    get meta() { return meta ??= modules.meta() },
    get Function() { return make ??= functionIn(scope) },
    held,
    import: (specifier: unknown, options?: unknown) => modules.import(specifier, options),
    has(module: object, name: string, specifier: string, optional: boolean) {
      if (name in module) return true
      if (optional) return false
      throw new SyntaxError(`The module '${specifier}' has no export named '${name}'. It has: ${Object.keys(module).join(', ') || 'none'}`)
    },
    var(name: string) {
      const box = namespace.box(name)
      if (!box.bound) box.v = undefined
    },
    typeOf: (name: string) => namespace.box(name).typeOf(),
    caught,
    handler,
  }
}

const { apply, construct } = Reflect
const { getOwnPropertyDescriptor, defineProperty } = Object
const isEngineError = (error: unknown): error is Error => error instanceof TypeError || error instanceof ReferenceError

function caught(error: unknown): void {
  try {
    if (!isEngineError(error)) return
    const message = getOwnPropertyDescriptor(error, 'message')
    if (typeof message?.value !== 'string') return
    const value = cleanMessage(message.value)
    if (value !== message.value) defineProperty(error, 'message', { ...message, value })
  } catch {
    // Frozen, or a proxy: it stays as it is.
  }
}

function handler(given: unknown): unknown {
  if (typeof given !== 'function') return given
  return function (this: unknown, ...args: unknown[]): unknown {
    caught(args[0])
    return apply(given, this, args)
  }
}

/** `Function` for cells: what it makes sees the notebook's names, as the platform's own sees global ones. */
function functionIn(scope: object): FunctionConstructor {
  const make = (parts: unknown[]): unknown => {
    const checked: unknown = construct(Function, parts)
    return compileScript(`(function(${SCOPE}) { with (${SCOPE}) { return (${String(checked)}\n) } })`, 'Function')(scope)
  }
  return new Proxy(Function, { apply: (_, __, parts: unknown[]) => make(parts), construct: (_, parts: unknown[]) => make(parts) as object })
}
