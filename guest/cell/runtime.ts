import type { Namespace } from '../namespace.ts'
import type { Modules } from './modules.ts'
import { SCOPE } from './private-names.ts'
import { compileScript } from './compile.ts'

/** What generated text in a body may call. */
export interface CellRuntime {
  readonly meta: object
  readonly Function: FunctionConstructor
  import(specifier: unknown, options?: unknown): Promise<unknown>
  /** Whether a module exports a name; throws when it does not, unless `optional`. */
  has(module: object, name: string, specifier: string, optional: boolean): boolean
  /** Binds a `var` that has no value yet. */
  var(name: string): void
  typeOf(name: string): string
}

export interface RuntimeParts {
  readonly namespace: Namespace
  readonly modules: Modules
  readonly scope: object
}

/** The object a body knows as its runtime. */
export function createRuntime({ namespace, modules, scope }: RuntimeParts): CellRuntime {
  return Object.freeze({
    __proto__: null,
    meta: modules.meta(),
    Function: functionIn(scope),
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
  })
}

const { construct } = Reflect

/** `Function` for cells: what it makes sees the notebook's names, as the platform's own sees global ones. */
function functionIn(scope: object): FunctionConstructor {
  const make = (parts: unknown[]): unknown => {
    const checked: unknown = construct(Function, parts)
    return compileScript(`(function(${SCOPE}) { with (${SCOPE}) { return (${String(checked)}\n) } })`, 'Function')(scope)
  }
  return new Proxy(Function, { apply: (_, __, parts: unknown[]) => make(parts), construct: (_, parts: unknown[]) => make(parts) as object })
}
