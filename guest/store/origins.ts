import { isBuiltin } from 'node:module'
import { types } from 'node:util'
import { ownKeys, SafeMap } from './safe.ts'
import { type Trace, traceOf, unchanged } from './trace.ts'

/** The import attributes of a module, such as `{ type: 'json' }`. */
type Attributes = Readonly<Record<string, string>>

/** Where a value comes from: an export of a module, or the module itself when `name` is null. */
export interface Origin { readonly specifier: string; readonly name: string | null; readonly attributes?: Attributes }

interface Imported { readonly space: Readonly<Record<string, unknown>>; readonly specifier: string; readonly attributes: Attributes | undefined }
/** An export, and what it was when it was imported: the count of its keys for a function, undefined when it cannot be changed or is one of very many. */
interface Export { readonly module: Imported; readonly name: string; readonly was: Trace | number | undefined }

const { isModuleNamespaceObject } = types
const { keys } = Object
/** So many objects of one module are compared with what they were. */
const MOST_WATCHED = 64

/** Part of the runtime: loading it again is quick and has no effect of its own. */
export const isOfRuntime = (specifier: string): boolean => isBuiltin(specifier) || specifier === 'bun' || specifier.startsWith('bun:')

/** The modules that cells imported: tells of a value whether it is an export of one, as it was imported. */
export class Origins {
  private readonly modules = new SafeMap<object, Imported>()
  private readonly exports = new SafeMap<unknown, Export>()
  /** Modules of the runtime that are not looked through yet: most sessions never ask. */
  private fresh: Imported[] = []

  note(space: unknown, specifier: string, attributes: Attributes | undefined): void {
    if (!mayBeExport(space) || !isModuleNamespaceObject(space) || this.modules.has(space)) return
    const module = { space: space as unknown as Imported['space'], specifier, attributes }
    this.modules.set(space, module)
    if (isOfRuntime(specifier)) this.fresh[this.fresh.length] = module
    else this.look(module)
  }

  /** A builtin that `require` gave is what an import of it has as its default. */
  noteRequired(value: unknown, specifier: string): void {
    if (!mayBeExport(value) || !isOfRuntime(specifier) || this.exports.has(value)) return
    this.exports.set(value, { module: { space: { default: value }, specifier, attributes: undefined }, name: 'default', was: undefined })
  }

  /** The origin of a function, an object or a module that a name holds; undefined when it has none or was changed since. */
  of(value: unknown, called: string): Origin | undefined {
    if (!mayBeExport(value) || (this.modules.size === 0 && this.exports.size === 0)) return undefined
    const module = this.modules.get(value)
    if (module !== undefined) return originOf(module, null)
    for (const each of this.fresh) this.look(each)
    this.fresh = []
    const found = this.exports.get(value)
    if (found === undefined || !isStill(found, value)) return undefined
    // A module may export a value twice; the name it has in the notebook is the likelier one.
    return originOf(found.module, exported(found.module, called) === value ? called : found.name)
  }

  private look(module: Imported): void {
    const ofRuntime = isOfRuntime(module.specifier)
    let watched = 0
    for (const name of keys(module.space)) {
      const value = exported(module, name)
      if (!mayBeExport(value) || this.exports.has(value)) continue
      const was = ofRuntime || isModuleNamespaceObject(value) || watched++ >= MOST_WATCHED ? undefined : typeof value === 'function' ? ownKeys(value).length : traceOf(value)
      this.exports.set(value, { module, name, was })
    }
  }
}

const mayBeExport = (value: unknown): value is object => typeof value === 'function' || (typeof value === 'object' && value !== null)
const originOf = ({ specifier, attributes }: Imported, name: string | null): Origin => ({ specifier, name, ...(attributes && { attributes }) })

/** Bindings of a module are live, and its objects can be changed: neither would be there after an import. */
function isStill({ module, name, was }: Export, value: object): boolean {
  if (exported(module, name) !== value) return false
  if (was === undefined) return true
  return typeof was === 'number' ? ownKeys(value).length === was : unchanged(value, was)
}

/** A binding whose module is still being evaluated throws. */
function exported({ space }: Imported, name: string): unknown {
  try { return space[name] } catch { return undefined }
}
