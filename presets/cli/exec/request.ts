import { nearest } from '../../../kernel/methods.ts'

export const OPS = ['snapshot', 'restore', 'names', 'abort'] as const
export type Op = (typeof OPS)[number]
export type Id = string | number

/** A line of input that is understood. */
export type Request =
  | { readonly type: 'cell'; readonly id: Id; readonly code: string; readonly timeoutMs: number | null; readonly json: boolean }
  | { readonly type: 'op'; readonly id: Id; readonly op: Exclude<Op, 'abort'>; readonly generation: number | null }
  | { readonly type: 'abort'; readonly id: Id; readonly cell: Id }

/** Why a line is not understood, in words for who wrote it. */
export class RequestError extends Error {
  /** The id of the line, when it had one. */
  readonly id: Id | undefined
  constructor(message: string, id?: Id) {
    super(message)
    this.id = id
  }
}

const CELL_FIELDS = ['id', 'code', 'timeoutMs', 'json'] as const
const OP_FIELDS = ['id', 'op', 'cell', 'generation'] as const

/** Reads a line of input; throws a RequestError that names what is wrong. */
export function readRequest(line: string): Request {
  const fields = readObject(line)
  const id = readId(fields)
  const refuse = (message: string): never => { throw new RequestError(message, id) }
  if ('op' in fields === 'code' in fields) return refuse('op' in fields ? 'a line has either \'code\' or \'op\', not both' : `a line needs 'code', or 'op' as one of ${OPS.join(', ')}`)
  const known: readonly string[] = 'op' in fields ? OP_FIELDS : CELL_FIELDS
  const stranger = Object.keys(fields).find(name => !known.includes(name))
  if (stranger !== undefined) {
    const near = nearest(stranger, known)
    return refuse(`unknown field '${stranger}'.${near === undefined ? '' : ` Did you mean '${near}'?`} Known: ${known.join(', ')}`)
  }
  return 'op' in fields ? readOp(id, fields, refuse) : readCell(id, fields, refuse)
}

type Fields = Readonly<Record<string, unknown>>
type Refuse = (message: string) => never

function readObject(line: string): Fields {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw new RequestError(`not JSON: ${(cause as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RequestError(`a line is an object, got ${value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`}`)
  return value as Fields
}

const isId = (value: unknown): value is Id => (typeof value === 'string' && value !== '') || (typeof value === 'number' && Number.isFinite(value))

function readId({ id }: Fields): Id {
  if (id === undefined) throw new RequestError('\'id\' is missing; the answer carries it')
  if (!isId(id)) throw new RequestError(`'id' must be a string or a number, got ${JSON.stringify(id)}`)
  return id
}

function readCell(id: Id, { code, timeoutMs = null, json = false }: Fields, refuse: Refuse): Request {
  if (typeof code !== 'string') return refuse(`'code' must be a string, got ${JSON.stringify(code).slice(0, 80)}`)
  if (timeoutMs !== null && !(typeof timeoutMs === 'number' && timeoutMs > 0)) return refuse(`'timeoutMs' must be a number above 0, got ${JSON.stringify(timeoutMs)}`)
  if (typeof json !== 'boolean') return refuse(`'json' must be true or false, got ${JSON.stringify(json)}`)
  return { type: 'cell', id, code, timeoutMs, json }
}

function readOp(id: Id, { op, cell, generation = null }: Fields, refuse: Refuse): Request {
  const known = OPS.find(name => name === op)
  if (known === undefined) {
    const near = typeof op === 'string' ? nearest(op, OPS) : undefined
    return refuse(`unknown op ${JSON.stringify(op)}.${near === undefined ? '' : ` Did you mean '${near}'?`} Known: ${OPS.join(', ')}`)
  }
  if (generation !== null && known !== 'restore') return refuse(`'generation' belongs to the op restore, not to ${known}`)
  if (generation !== null && !(Number.isSafeInteger(generation) && (generation as number) >= 0)) return refuse(`'generation' must be the number of one, got ${JSON.stringify(generation)}`)
  if (known !== 'abort') return cell === undefined ? { type: 'op', id, op: known, generation: generation as number | null } : refuse(`'cell' belongs to the op abort, not to ${known}`)
  return isId(cell) ? { type: 'abort', id, cell } : refuse('abort needs \'cell\', the id of the cell to cancel')
}
