import { Value } from '@sinclair/typebox/value'
import { distance } from 'fastest-levenshtein'
import type { Json } from '../guest/protocol.ts'
import { RlmError } from './errors.ts'
import type { HostMethod } from './plugin.ts'
import { signature } from './signature.ts'

/** A call names nothing that exists, or its arguments do not fit. */
const badCall = (message: string): RlmError => new RlmError('BAD_CALL', 'BridgeCallError', message)

/** The host methods of a preset, by handle and name. */
export class MethodTable {
  private readonly table = new Map<string, HostMethod>()

  add(method: HostMethod): void {
    const key = `${method.handle}.${method.name}`
    if (this.table.has(key)) throw new RlmError('METHOD_TAKEN', 'MethodTakenError', `two plugins offer the method ${key}; take one out of the preset`)
    this.table.set(key, method)
  }

  all(): readonly HostMethod[] { return [...this.table.values()] }

  /** Handles with the names of their methods, as the guest is told. */
  handles(): { name: string; methods: string[] }[] {
    const handles = new Map<string, string[]>()
    for (const { handle, name } of this.table.values()) handles.set(handle, [...handles.get(handle) ?? [], name])
    return [...handles].map(([name, methods]) => ({ name, methods }))
  }

  /** The method and its checked argument; throws `BAD_CALL` naming the problem and the expected signature. */
  resolve(handle: string, name: string, args: readonly Json[]): { readonly method: HostMethod; readonly argument: Json } {
    const method = this.table.get(`${handle}.${name}`)
    if (method === undefined) throw badCall(this.unknown(handle, name))
    const expected = (): string => `Expected: ${handle}.${signature(method.name, method.params)}`
    if (args.length > 1) throw badCall(`${handle}.${name} takes one object, got ${args.length} arguments. ${expected()}`)
    const argument = args[0] ?? {}
    const problem = problemOf(method.params, argument)
    if (problem !== undefined) throw badCall(`${handle}.${name}: ${problem}. ${expected()}`)
    return { method, argument }
  }

  private unknown(handle: string, name: string): string {
    const names = this.all().filter(method => method.handle === handle).map(method => method.name)
    const near = nearest(name, names)
    return `${handle}.${name} does not exist.${near === undefined ? '' : ` Did you mean ${handle}.${near}?`} Known: ${names.join(', ') || 'none'}.`
  }
}

/** The name closest to a mistyped one, when it is close enough to be meant. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const [best] = names.map(candidate => ({ candidate, apart: distance(name.toLowerCase(), candidate.toLowerCase()) })).sort((a, b) => a.apart - b.apart)
  return best !== undefined && best.apart <= Math.max(2, Math.floor(name.length / 2)) ? best.candidate : undefined
}

function problemOf(params: HostMethod['params'], argument: Json): string | undefined {
  if (typeof argument !== 'object' || argument === null || Array.isArray(argument)) return `the argument must be an object, got ${argument === null ? 'null' : Array.isArray(argument) ? 'an array' : `a ${typeof argument}`}`
  // Finding out what is wrong costs far more than finding out that nothing is.
  if (Value.Check(params, argument)) return undefined
  // A stranger is told twice; the first time, as "schema is false", without its name.
  const problem = Value.Errors(params, argument).find(({ keyword }) => keyword !== 'boolean')
  if (problem === undefined) return undefined
  const details = problem.params as { additionalProperties?: readonly string[]; requiredProperties?: readonly string[] }
  const path = problem.instancePath.replaceAll('/', '.').replace(/^\./, '')
  const at = path === '' ? '' : `${path}: `
  if (details.requiredProperties !== undefined) return `${at}missing ${details.requiredProperties.map(name => `'${name}'`).join(', ')}`
  if (details.additionalProperties !== undefined) return `${at}unknown ${details.additionalProperties.map(name => `'${name}'`).join(', ')}`
  return `${at}${problem.message}`
}
