import type { ChildProgress, ChildReader, TokenUsage } from '../../../kernel/plugin.ts'

/** A message event is read whole up to this size; longer ones have images in them, never an answer. */
const LINE_CAP = 64 << 20
/** Enough of a line to see what it is. */
const HEAD_CHARS = 256

interface Message {
  readonly role?: string
  readonly content?: readonly { readonly type?: string; readonly text?: string }[]
  readonly provider?: string
  readonly model?: string
  readonly stopReason?: string
  readonly errorMessage?: string
  readonly usage?: Partial<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>> & { readonly cost?: { readonly total?: number } }
}

/**
 * Reads the events of `pi --mode json`. Only the ends of the model's own messages are parsed: updates repeat all that
 * was said before, and the last events repeat every image.
 */
export function piEvents(): ChildReader {
  let progress: ChildProgress = { answer: '', ended: false }
  const line = new Line()
  return {
    write(chunk) {
      for (const text of line.split(chunk)) progress = told(progress, text)
    },
    progress: () => progress,
  }
}

/** Splits bytes into lines and keeps only those that matter; of the others no more than their beginning. */
class Line {
  private parts: Buffer[] = []
  private length = 0
  private kind: 'unknown' | 'whole' | 'head' = 'unknown'

  split(chunk: Uint8Array): string[] {
    const lines: string[] = []
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    for (let from = 0; from < bytes.length;) {
      const newline = bytes.indexOf(10, from)
      this.add(bytes.subarray(from, newline < 0 ? bytes.length : newline))
      if (newline < 0) break
      lines.push(Buffer.concat(this.parts).toString('utf8'))
      this.reset()
      from = newline + 1
    }
    return lines
  }

  private add(piece: Buffer): void {
    if (this.kind === 'head' || (this.kind === 'whole' && this.length > LINE_CAP)) return
    this.parts.push(Buffer.from(piece))
    this.length += piece.length
    if (this.kind !== 'unknown' || this.length < HEAD_CHARS) return
    const head = Buffer.concat(this.parts)
    this.kind = isAnswer(head.toString('utf8', 0, HEAD_CHARS)) ? 'whole' : 'head'
    if (this.kind === 'head') this.parts = [head.subarray(0, HEAD_CHARS)]
  }

  private reset(): void {
    this.parts = []
    this.length = 0
    this.kind = 'unknown'
  }
}

const typeOf = (head: string): string | undefined => /^\s*\{"type":"(\w+)"/.exec(head)?.[1]
const isAnswer = (head: string): boolean => typeOf(head) === 'message_end' && /"role":"assistant"/.test(head)

function told(before: ChildProgress, line: string): ChildProgress {
  switch (typeOf(line) ?? '') {
    case 'session': return { ...before, activity: 'started' }
    case 'agent_start': return { ...clean(before), ended: false, activity: 'at work' }
    case 'agent_end': case 'agent_settled': return { ...before, ended: true }
    case 'tool_execution_start': return { ...before, activity: `tool ${/"toolName":"([^"]+)"/.exec(line.slice(0, HEAD_CHARS * 2))?.[1] ?? 'call'}` }
    case 'tool_execution_end': return { ...before, activity: 'thinking' }
    case 'message_end': return isAnswer(line) ? answered(before, line) : before
    default: return before
  }
}

/** Another attempt begins: what the last one failed with is no longer how it stands. */
function clean(progress: ChildProgress): ChildProgress {
  const { answer, ended, model, usage, activity } = progress
  return { answer, ended, ...(model !== undefined && { model }), ...(usage !== undefined && { usage }), ...(activity !== undefined && { activity }) }
}

function answered(before: ChildProgress, line: string): ChildProgress {
  let message: Message | undefined
  try { message = (JSON.parse(line) as { message?: Message }).message } catch { return before }
  if (message === undefined) return before
  const error = failureOf(message)
  const text = (message.content ?? []).filter(part => part.type === 'text').map(part => part.text ?? '').join('')
  return {
    ...clean(before),
    answer: text,
    activity: 'answered',
    ...(message.model !== undefined && { model: message.provider === undefined ? message.model : `${message.provider}/${message.model}` }),
    usage: added(before.usage, message.usage ?? {}),
    ...(error !== undefined && { error }),
  }
}

function failureOf({ stopReason, errorMessage }: Message): string | undefined {
  if (stopReason === 'error' || stopReason === 'aborted') return errorMessage ?? `the request ended as '${stopReason}'`
  return stopReason === 'length' ? 'the answer was cut off at the model\'s token limit' : undefined
}

function added(before: TokenUsage | undefined, { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cost }: NonNullable<Message['usage']>): TokenUsage {
  return {
    input: (before?.input ?? 0) + input, output: (before?.output ?? 0) + output,
    cacheRead: (before?.cacheRead ?? 0) + cacheRead, cacheWrite: (before?.cacheWrite ?? 0) + cacheWrite,
    cost: (before?.cost ?? 0) + (cost?.total ?? 0), context: input + output + cacheRead + cacheWrite, turns: (before?.turns ?? 0) + 1,
  }
}
