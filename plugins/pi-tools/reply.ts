import type { Json } from '../../guest/protocol.ts'
import { RlmError } from '../../kernel/errors.ts'
import type { Image } from '../../kernel/result.ts'
import { rawText } from './raw.ts'
import type { Block, ToolOutcome } from './source.ts'

/** What a cell gets for a call, and the images that stay on the host. */
export interface Reply { readonly value: Json; readonly images: readonly Image[] }

/** A tool's answer as data. A failed call throws with the tool's own words. */
export function replyOf(name: string, args: object, outcome: ToolOutcome): Reply {
  const text = textOf(outcome.content)
  if (outcome.failed) throw new RlmError('TOOL_FAILED', 'ToolError', text === '' ? `tools.${name} failed without a message` : text)
  const images = outcome.content.filter(block => block.type === 'image').map(({ data, mimeType }) => ({ data, mimeType }))
  const raw = name === 'read' && images.length === 0 ? { raw: rawText(args, text, outcome.details) } : {}
  const structured = outcome.structured === undefined ? {} : { structured: plain(outcome.structured) }
  return { value: { text, images: images.length, details: plain(outcome.details), ...raw, ...structured }, images }
}

const textOf = (content: readonly Block[]): string => content.filter(block => block.type === 'text').map(block => block.text).join('\n')

/** As JSON would carry it; details that JSON cannot carry are for pi's own display. */
function plain(value: unknown): Json {
  try {
    return JSON.parse(JSON.stringify(value ?? null)) as Json
  } catch {
    return null
  }
}
