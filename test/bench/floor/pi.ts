import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { definePlugin, type Plugin } from 'pi-rlm'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CLI = join(ROOT, 'node_modules/@mariozechner/pi-coding-agent/dist/cli.js')
const FLAGS = [
  '--mode', 'json', '--no-extensions', '--no-skills', '--no-prompt-templates', '--no-themes', '--no-context-files', '--no-session',
  '--provider', 'scripted', '--model', 'scripted-model', '--rlm=1', '--extension', join(ROOT, 'presets/pi/extension.ts'),
]

/** pi with a model that answers a prompt with one cell and then with a word, all on this machine. */
export interface ScriptedPi {
  /** The same agent for `rlm.run`. */
  readonly agent: Plugin
  /** Starts it by hand and reads its events to their end. */
  byHand(prompt: string): Promise<void>
  close(): void
}

/** Undefined when pi is not installed. */
export async function scriptedPi(): Promise<ScriptedPi | undefined> {
  if (!existsSync(CLI)) return undefined
  const home = mkdtempSync(join(tmpdir(), 'pi-rlm-bench-'))
  const folder = join(home, '.pi/agent')
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => { chunks.push(chunk) })
    request.on('end', () => {
      const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { role: string }[] }
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(turn(messages.some(({ role }) => role === 'tool')))
    })
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'settings.json'), '{"quietStartup":true,"enableInstallTelemetry":false}')
  writeFileSync(join(folder, 'models.json'), JSON.stringify({ providers: { scripted: {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, api: 'openai-completions', apiKey: 'none',
    compat: { supportsDeveloperRole: false, supportsReasoningEffort: false }, models: [{ id: 'scripted-model', input: ['text'], contextWindow: 200_000, maxTokens: 16_000 }],
  } } }))
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, PI_CODING_AGENT_DIR: folder, PI_OFFLINE: '1', PI_TELEMETRY: '0' }
  return {
    agent: definePlugin({ name: 'bench-pi', host: host => { host.childAgent({ name: 'pi', plan: () => ({ kind: 'child', command: process.execPath, args: [CLI, ...FLAGS], env, cwd: home, stdio: ['pipe', 'pipe', 'pipe'] }) }) } })(),
    byHand: prompt => read(spawn(process.execPath, [CLI, ...FLAGS], { cwd: home, env, stdio: ['pipe', 'pipe', 'pipe'] }), prompt),
    close() {
      server.close()
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

function read(child: ReturnType<typeof spawn>, prompt: string): Promise<void> {
  let events = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => { events += chunk.toString() })
    child.stderr?.on('data', () => {})
    child.on('error', reject)
    child.on('close', () => { if (events.includes('"agent_end"')) resolve(); else reject(new Error('pi did not come to an end')) })
    child.stdin?.end(prompt)
  })
}

function turn(after: boolean): string {
  const delta = after ? { content: 'two' } : { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'execute', arguments: '{"code":"1 + 1"}' } }] }
  const chunks = [{ delta: { role: 'assistant', ...delta }, finish_reason: null }, { delta: {}, finish_reason: after ? 'stop' : 'tool_calls' }]
  return `${chunks.map(choice => `data: ${JSON.stringify({ id: 'x', created: 1, model: 'scripted-model', object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })}\n\n`).join('')}data: [DONE]\n\n`
}
