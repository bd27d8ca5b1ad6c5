import type { IncomingHttpHeaders } from 'node:http'

/** One tool call of the scripted model; a string for `args` is sent as it is, valid JSON or not. */
export interface Call { readonly name: string; readonly args: unknown; readonly id?: string }

/** What the scripted model does in one request. */
export interface TurnPlan {
  readonly text?: string
  readonly thinking?: string
  readonly calls?: readonly Call[]
  /** Milliseconds before the answer starts, and between its chunks. */
  readonly delay?: number
  readonly chunkDelay?: number
  readonly chunkSize?: number
  readonly finish?: string
  readonly error?: { readonly status?: number; readonly message?: string }
  /** Keep the connection open after the content and never finish. */
  readonly hang?: boolean
}
export type Turn = string | TurnPlan | ((request: ModelRequest) => Turn | Promise<Turn>)

/** Turns for the sessions whose first user message matches; one without `match` takes what is left. */
export interface Conversation {
  readonly name?: string
  readonly match?: string | RegExp
  readonly turns: readonly Turn[] | ((request: ModelRequest) => Turn | Promise<Turn>)
}
export type Script = readonly Turn[] | readonly Conversation[]

export interface Message { readonly role: string; readonly text: string; readonly tool_call_id?: string }

/** A chat request in plain values. */
export interface ModelRequest {
  readonly number: number
  readonly session: string
  readonly system: string
  readonly prompt: string
  readonly lastPrompt: string
  readonly messages: readonly Message[]
  readonly toolResults: readonly { readonly id: string; readonly text: string }[]
  /** Images in the messages. */
  readonly images: number
  readonly tools: readonly string[]
  readonly body: RequestBody
  readonly headers: IncomingHttpHeaders
}

interface Part { readonly type: string; readonly text?: string }
interface WireMessage { readonly role: string; readonly content?: string | readonly Part[]; readonly tool_call_id?: string }
export interface RequestBody {
  readonly model: string
  readonly stream?: boolean
  readonly messages: readonly WireMessage[]
  readonly tools?: readonly { readonly function?: { readonly name: string; readonly description?: string } }[]
}

/** A tool call for a turn's `calls`. */
export const toolCall = (name: string, args: unknown = {}, id?: string): Call => ({ name, args, ...(id !== undefined && { id }) })

/** A turn that runs one cell. */
export const cell = (code: string, id?: string): TurnPlan => ({ calls: [toolCall('execute', { code }, id)], chunkSize: 4096 })

export const conversationsOf = (script: Script): readonly Conversation[] =>
  script.every(isConversation) && script.length > 0 ? script : [{ turns: script as readonly Turn[] }]

const isConversation = (item: Turn | Conversation): item is Conversation => typeof item === 'object' && 'turns' in item

/** Images of tools travel in a message of the user that nobody wrote. */
const IMAGES = 'Attached image(s) from tool result'

/** Reads the wire form of a request. */
export function describeRequest(number: number, body: RequestBody, headers: IncomingHttpHeaders): ModelRequest {
  const messages = body.messages.map(message => ({ ...message, text: textOf(message.content) })).map(message => message.text.startsWith(IMAGES) ? { ...message, role: 'images' } : message)
  const users = messages.filter(message => message.role === 'user')
  return {
    number, body, headers, messages,
    session: String(headers['x-session-affinity'] ?? ''),
    system: messages.filter(message => message.role === 'system' || message.role === 'developer').map(message => message.text).join('\n\n'),
    prompt: users[0]?.text ?? '',
    lastPrompt: users.at(-1)?.text ?? '',
    toolResults: messages.filter(message => message.role === 'tool').map(message => ({ id: message.tool_call_id ?? '', text: message.text })),
    images: body.messages.flatMap(message => partsOf(message.content)).filter(part => part.type === 'image_url').length,
    tools: (body.tools ?? []).map(tool => tool.function?.name ?? '?'),
  }
}

const partsOf = (content: WireMessage['content']): readonly Part[] => Array.isArray(content) ? content as readonly Part[] : []

const textOf = (content: WireMessage['content']): string =>
  typeof content === 'string' ? content : partsOf(content).filter(part => part.type === 'text').map(part => part.text ?? '').join('\n')

/**
 * A script that goes by what the user said last: the cells listed under a prompt one after the other, then an answer.
 * It holds for every session, as forks and new sessions start their scripts over.
 */
export function byPrompt(cells: Readonly<Record<string, readonly (string | TurnPlan)[]>>): Script {
  return [{
    turns: request => {
      const since = request.messages.slice(request.messages.findLastIndex(message => message.role === 'user'))
      const done = since.filter(message => message.role === 'assistant').length
      const planned = cells[request.lastPrompt]
      if (planned === undefined) throw new Error(`nothing is planned for '${request.lastPrompt}'`)
      const next = planned[done]
      if (next === undefined) return `Done: ${request.lastPrompt}.`
      return typeof next === 'string' ? cell(next) : next
    },
  }]
}

/** What the model was shown by its tools after a prompt, as the latest request tells it. */
export function shownAfter(requests: readonly ModelRequest[], prompt: string): string[] {
  const request = requests.findLast(({ messages }) => messages.some(message => message.role === 'user' && message.text === prompt))
  if (request === undefined) throw new Error(`the model never saw '${prompt}'`)
  const start = request.messages.findLastIndex(message => message.role === 'user' && message.text === prompt)
  const after = request.messages.slice(start + 1)
  const end = after.findIndex(message => message.role === 'user')
  return after.slice(0, end === -1 ? undefined : end).filter(message => message.role === 'tool').map(message => message.text)
}
