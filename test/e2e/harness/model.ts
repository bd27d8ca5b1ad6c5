import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Call, type Conversation, conversationsOf, describeRequest, type ModelRequest, type RequestBody, type Script, type Turn, type TurnPlan } from './script.ts'

/** A running scripted model; `problems` lists what went against the script. */
export interface ScriptedModel {
  readonly url: string
  readonly requests: readonly ModelRequest[]
  readonly problems: readonly string[]
  close(): Promise<void>
}

/**
 * Serves a script as an OpenAI-compatible chat endpoint on 127.0.0.1, so that all between the agent's input and its
 * tools is the real thing. Each client session walks through its conversation's turns on its own.
 */
export async function startScriptedModel(script: Script): Promise<ScriptedModel> {
  const router = new Router(conversationsOf(script))
  const requests: ModelRequest[] = []
  const problems: string[] = []
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => { problems.push(String(error)); response.destroy() })
  })

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    if (incoming.url?.endsWith('/chat/completions') !== true) return sendJson(response, 404, { error: { message: 'no such page' } })
    const request = describeRequest(requests.length, JSON.parse(Buffer.concat(chunks).toString()) as RequestBody, incoming.headers)
    requests.push(request)
    await answer(response, request, await router.turn(request).catch((error: unknown) => {
      problems.push(`request ${request.number} (${request.lastPrompt.slice(0, 60)}): ${String(error)}`)
      return { error: { status: 400, message: String(error) } }
    }))
  }

  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests, problems,
    async close() {
      const closed = new Promise(done => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}

/** Which turn comes next, per conversation and session. */
class Router {
  private readonly taken = new Map<string, number>()
  private readonly conversations: readonly Conversation[]
  constructor(conversations: readonly Conversation[]) { this.conversations = conversations }

  async turn(request: ModelRequest): Promise<TurnPlan> {
    const conversation = this.conversations.find(({ match }) => matches(match, request.prompt)) ?? this.conversations.find(({ match }) => match === undefined)
    if (conversation === undefined) throw new Error('no conversation matches')
    const key = `${this.conversations.indexOf(conversation)} ${request.session}`
    const number = this.taken.get(key) ?? 0
    this.taken.set(key, number + 1)
    let turn: Turn | undefined = typeof conversation.turns === 'function' ? conversation.turns : conversation.turns[number]
    if (turn === undefined) throw new Error(`conversation '${conversation.name ?? 'default'}' has no turn ${number}`)
    while (typeof turn === 'function') turn = await turn(request)
    return typeof turn === 'string' ? { text: turn } : turn
  }
}

const matches = (match: string | RegExp | undefined, prompt: string): boolean =>
  match !== undefined && (typeof match === 'string' ? prompt.includes(match) : match.test(prompt))

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  // Client libraries would repeat a failed request by themselves and use up the next turn.
  response.writeHead(status, { 'content-type': 'application/json', 'x-should-retry': 'false' }).end(JSON.stringify(value))
}

async function answer(response: ServerResponse, request: ModelRequest, turn: TurnPlan): Promise<void> {
  const gone = new Promise<void>(done => response.once('close', () => done()))
  if (turn.delay !== undefined) await Promise.race([gone, sleep(turn.delay)])
  if (turn.error) return sendJson(response, turn.error.status ?? 500, { error: { message: turn.error.message ?? 'scripted error' } })
  const calls = (turn.calls ?? []).map((call, index) => wireCall(call, index, request.number))
  const finish = turn.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })

  const send = async (fields: object): Promise<void> => {
    if (response.destroyed) return
    response.write(`data: ${JSON.stringify({ id: `scripted-${request.number}`, created: 1, model: request.body.model, object: 'chat.completion.chunk', ...fields })}\n\n`)
    if (turn.chunkDelay !== undefined) await Promise.race([gone, sleep(turn.chunkDelay)])
  }
  const delta = (value: object, reason: string | null = null): Promise<void> => send({ choices: [{ index: 0, delta: value, finish_reason: reason }] })
  const pieces = (text = ''): readonly string[] => text.match(new RegExp(`.{1,${turn.chunkSize ?? 256}}`, 'gsu')) ?? []

  await delta({ role: 'assistant', content: '' })
  for (const piece of pieces(turn.thinking)) await delta({ reasoning_content: piece })
  for (const piece of pieces(turn.text)) await delta({ content: piece })
  for (const [index, call] of calls.entries()) {
    await delta({ tool_calls: [{ ...call, index, function: { name: call.function.name, arguments: '' } }] })
    for (const piece of pieces(call.function.arguments)) await delta({ tool_calls: [{ index, function: { arguments: piece } }] })
  }
  if (turn.hang === true) return gone
  await delta({}, finish)
  await send({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, prompt_tokens_details: { cached_tokens: 0 } } })
  response.end('data: [DONE]\n\n')
}

const wireCall = (call: Call, index: number, request: number) => ({
  id: call.id ?? `call_${request}_${index}`,
  type: 'function',
  function: { name: call.name, arguments: typeof call.args === 'string' ? call.args : JSON.stringify(call.args) },
})
