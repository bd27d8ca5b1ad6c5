import type { CellSource, Frame, Json, Thrown } from '../guest/protocol.ts'
import { MESSAGE_CAP } from '../guest/protocol.ts'
import { RlmError } from './errors.ts'
import type { Assembly } from './assemble.ts'
import type { ToolCall } from './hooks.ts'
import type { MethodTable } from './methods.ts'
import type { CallContext } from './plugin.ts'
import type { Image } from './result.ts'

type CallFrame = Extract<Frame, { readonly type: 'call' }>

/** The cell a call came from, as far as the host still knows it. */
export interface Caller {
  readonly cell: CellSource
  /** Whether the cell has not ended yet. */
  readonly running: boolean
  readonly signal: AbortSignal
  attach(image: Image): void
}

export type CallAnswer = { readonly type: 'reply'; readonly call: number; readonly value: Json } | { readonly type: 'refuse'; readonly call: number; readonly error: Thrown }

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
    const reply = { type: 'reply', call: frame.call, value: plain(frame, value) } as const
    status = 'ok'
    return reply
  } catch (error) {
    return { type: 'refuse', call: frame.call, error: thrownOf(error) }
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

/** The reply as JSON data; what cannot be encoded fails this call by name. */
function plain(frame: CallFrame, value: Json | undefined): Json {
  let text: string | undefined
  try {
    text = JSON.stringify(value ?? null)
  } catch (cause) {
    throw new RlmError('REPLY_NOT_JSON', 'BridgeCallError', `${frame.handle}.${frame.name} answered with something that is not JSON: ${(cause as Error).message}`, cause)
  }
  if (text.length > MESSAGE_CAP - 1_000) throw refused(`${frame.handle}.${frame.name} answered with ${text.length} characters; the limit is ${MESSAGE_CAP}. Ask for a part of it.`, 'REPLY_TOO_LARGE')
  return value ?? null
}

const refused = (message: string, code: string): RlmError => new RlmError(code, 'BridgeCallError', message)

function thrownOf(error: unknown): Thrown {
  const { name, message, code } = error instanceof Error ? error as Error & { code?: unknown } : { name: 'Error', message: String(error), code: undefined }
  return { name, message, stack: [], ...(typeof code === 'string' && { code }) }
}
