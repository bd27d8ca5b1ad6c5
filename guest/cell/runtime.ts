import type { Namespace } from '../namespace.ts'
import { caught, handler } from './caught.ts'
import { held } from './held.ts'
import type { Modules } from './modules.ts'
import { SCOPE } from './private-names.ts'
import { compileScript } from './compile.ts'

export interface RuntimeParts {
  readonly namespace: Namespace
  readonly modules: Modules
  readonly scope: object
}

const { construct } = Reflect
const { keys } = Object

/** What generated text in a body may call: the object a body knows as its runtime. */
export class CellRuntime {
  /** The names that the cell can see, by name. */
  readonly names: object
  private readonly namespace: Namespace
  private readonly modules: Modules
  private made: FunctionConstructor | undefined
  private here: object | undefined

  constructor({ namespace, modules, scope }: RuntimeParts) {
    this.names = scope
    this.namespace = namespace
    this.modules = modules
  }

  get meta(): object { return this.here ??= this.modules.meta() }

  get Function(): FunctionConstructor { return this.made ??= functionIn(this.names) }

  /** A trailing value, safe to be awaited. */
  held(value: unknown): unknown { return held(value) }

  import(specifier: unknown, options?: unknown): Promise<unknown> { return this.modules.import(specifier, options) }

  /** Whether a module exports a name; throws when it does not, unless `optional`. */
  has(module: object, name: string, specifier: string, optional: boolean): boolean {
    if (name in module) return true
    if (optional) return false
    throw new SyntaxError(`The module '${specifier}' has no export named '${name}'. It has: ${keys(module).join(', ') || 'none'}`)
  }

  /** Binds a `var` that has no value yet. */
  var(name: string): void {
    const box = this.namespace.box(name)
    if (!box.bound) box.v = undefined
  }

  typeOf(name: string): string { return this.namespace.box(name).typeOf() }

  /** Puts the author's names into the message of an engine's error. */
  caught(error: unknown): void { caught(error) }

  /** A function that is handed what `caught` has seen; anything else stays as it is. */
  handler(given: unknown): unknown { return handler(given) }
}

/** `Function` for cells: what it makes sees the notebook's names, as the platform's own sees global ones. */
function functionIn(scope: object): FunctionConstructor {
  const make = (parts: unknown[]): unknown => {
    const checked: unknown = construct(Function, parts)
    return compileScript(`(function(${SCOPE}) { with (${SCOPE}) { return (${String(checked)}\n) } })`, 'Function')(scope)
  }
  return new Proxy(Function, { apply: (_, __, parts: unknown[]) => make(parts), construct: (_, parts: unknown[]) => make(parts) as object })
}
