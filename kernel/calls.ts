import type { CellSource, Command, Frame, Json, Thrown } from '../guest/protocol.ts'
import { MESSAGE_CAP } from '../guest/protocol.ts'
import { field, reasonOf } from '../guest/reason.ts'
import { RlmError } from './errors.ts'
import type { Assembly } from './assemble.ts'
import type { ToolCall } from './hooks.ts'
import type { MethodTable } from './methods.ts'
import type { CallContext } from './plugin.ts'
import type { Image } from './result.ts'

type Refusal = Extract<Command, { readonly type: 'refuse' }>
type CallFrame = Extract<Frame, { readonly type: 'call' }>

/** Longest name of an error that a cell is told, in characters. */
const NAME_CAP = 200

/** The cell a call came from, as far as the host still knows it. */
export interface Caller {
  readonly cell: CellSource
  /** Whether the cell has not ended yet. */
  readonly running: boolean
  readonly signal: AbortSignal
  attach(image: Image): void
}

/** An answer as the text of its command: encoded once, since a value may read otherwise the second time. */
export interface CallAnswer { readonly type: 'reply' | 'refuse'; readonly call: number; readonly text: string }

/** Answers a call of a cell: the hook first, then the method table. Never rejects. */
export async function answerCall(frame: CallFrame, caller: Caller, { hooks, methods }: Pick<Assembly, 'hooks' | 'methods'>): Promise<CallAnswer> {
  const startedAt = performance.now()
  let settle!: (outcome: Awaited<ToolCall['settled']>) => void
  const settled = new Promise<Awaited<ToolCall['settled']>>(resolve => { settle = resolve })
  let status: 'ok' | 'error' | 'denied' = 'error'
  try {
    if (caller.signal.aborted) throw refused(`${frame.handle}.${frame.name}: the cell was cancelled`, 'CELL_CANCELLED')
    const call: ToolCall = { handle: frame.handle, name: frame.name, args: frame.args, cell: caller.cell, signal: caller.signal, settled }
    const answered = await hooks.onToolCall.promise(call)
    if (answered !== undefined && 'error' in answered) {
      status = 'denied'
      throw refused(answered.error, 'CALL_DENIED')
    }
    const value = answered === undefined ? await run(frame, caller, methods) : answered.value
    const text = `{"type":"reply","call":${frame.call},"value":${encoded(frame, value)}}`
    status = 'ok'
    return { type: 'reply', call: frame.call, text }
  } catch (error) {
    const refusal: Refusal = { type: 'refuse', call: frame.call, error: thrownOf(error) }
    return { type: 'refuse', call: frame.call, text: JSON.stringify(refusal) }
  } finally {
    settle({ status, durationMs: performance.now() - startedAt })
  }
}

async function run(frame: CallFrame, caller: Caller, methods: MethodTable): Promise<Json> {
  const { method, argument } = methods.resolve(frame.handle, frame.name, frame.args)
  if (!caller.running && method.late !== true) {
    throw refused(`${frame.handle}.${frame.name}: cell ${caller.cell.number} is over; call it from a running cell, and await it there`, 'CELL_OVER')
  }
  const context: CallContext = { cell: caller.cell, signal: caller.signal, attach: image => { caller.attach(image) } }
  return method.run(argument, context)
}

/** The reply as JSON; what cannot be encoded fails this call by name. */
function encoded(frame: CallFrame, value: Json | undefined): string {
  let text: string
  try {
    // What has no form in JSON, such as a function, is nothing.
    text = (JSON.stringify(value ?? null) as string | undefined) ?? 'null'
  } catch (cause) {
    throw new RlmError('REPLY_NOT_JSON', 'BridgeCallError', `${frame.handle}.${frame.name} answered with something that is not JSON: ${reasonOf(cause)}`, cause)
  }
  if (text.length > MESSAGE_CAP - 1_000) throw refused(`${frame.handle}.${frame.name} answered with ${text.length} characters; the limit is ${MESSAGE_CAP}. Ask for a part of it.`, 'REPLY_TOO_LARGE')
  return text
}

const refused = (message: string, code: string): RlmError => new RlmError(code, 'BridgeCallError', message)

function thrownOf(error: unknown): Thrown {
  const name = field(error, 'name')
  const code = field(error, 'code')
  return { name: typeof name === 'string' && name !== '' ? name.slice(0, NAME_CAP) : 'Error', message: reasonOf(error), stack: [], ...(typeof code === 'string' && { code }) }
}
