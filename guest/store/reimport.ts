import { type Box, type Namespace, UNSET, type Unread } from '../namespace.ts'
import { valueHeld } from './errors.ts'
import type { Origin } from './origins.ts'
import { bytesOf, messageOf, parse, SafeMap, stringify } from './safe.ts'

/** The codec of a value that is saved as where it comes from. */
export const IMPORT = 'import/1'

/** Loads modules as a cell does. */
export interface Loader {
  import(specifier: string, attributes?: Readonly<Record<string, string>>): Promise<unknown>
  /** Throws when a module is not there to be loaded, as far as that can be told without loading it. */
  check(specifier: string): void
}

export const encodeOrigin = (origin: Origin): Buffer => bytesOf(stringify(origin))

export function decodeOrigin(bytes: Uint8Array): Origin {
  const { specifier, name, attributes } = parse(bytesOf(bytes).toString()) as Partial<Origin>
  if (typeof specifier !== 'string' || (typeof name !== 'string' && name !== null)) throw new Error('its import cannot be read')
  return { specifier, name, ...(attributes && { attributes }) }
}

/** What an import gives now. */
export async function loadOrigin({ specifier, name, attributes }: Origin, loader: Loader): Promise<unknown> {
  try {
    const space = await loader.import(specifier, attributes) as Readonly<Record<string, unknown>>
    if (name !== null && !(name in space)) throw new Error(`it no longer exports ${name}`)
    return name === null ? space : space[name]
  } catch (cause) { throw new Error(`'${specifier}' could not be imported again: ${messageOf(cause)}`, { cause }) }
}

interface Waiting { readonly unread: Unread; readonly origin: Origin; failure: unknown }

/** Names whose module is imported again before the first cell that names them: loading it may take long, print, or fail. */
export class Reimports {
  private readonly waiting = new SafeMap<string, Waiting>()
  private readonly namespace: Namespace
  private readonly loader: Loader

  constructor(namespace: Namespace, loader: Loader) {
    this.namespace = namespace
    this.loader = loader
  }

  add(name: string, origin: Origin): void {
    const box = this.namespace.box(name)
    if (box.owned) return
    const waiting: Waiting = { origin, failure: undefined, unread: { load: () => { throw this.whyNot(name, waiting) } } }
    box.value = UNSET
    box.unread = waiting.unread
    box.touched = 0
    this.waiting.set(name, waiting)
  }

  /** Imports what a cell names; undefined when nothing of that is waiting. */
  prepare(source: string): Promise<unknown> | undefined {
    const named: Promise<void>[] = []
    for (const [name, waiting] of this.waiting) {
      const box = this.namespace.box(name)
      if (box.unread !== waiting.unread) this.waiting.delete(name)
      else if (source.includes(name)) named.push(this.load(box, waiting))
    }
    return named.length > 0 ? Promise.all(named) : undefined
  }

  private async load(box: Box, waiting: Waiting): Promise<void> {
    try {
      const value = await loadOrigin(waiting.origin, this.loader)
      if (box.unread !== waiting.unread) return
      box.value = value
      box.unread = null
      box.touched = 0
    } catch (cause) { waiting.failure = cause }
  }

  private whyNot(name: string, { origin, failure }: Waiting): Error {
    return valueHeld(name, failure === undefined ? `it is imported again from '${origin.specifier}' before a cell that names it` : messageOf(failure), failure)
  }
}
