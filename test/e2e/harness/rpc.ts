import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Version } from './installations.ts'

/** One event of pi's JSON or RPC stream; only what tests read is typed. */
export interface PiEvent {
  readonly type: string
  /** When it was received, in milliseconds. */
  readonly at?: number
  readonly id?: string
  readonly success?: boolean
  readonly error?: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly toolName?: string
  readonly toolCallId?: string
  readonly isError?: boolean
  readonly result?: ToolOutput
  readonly partialResult?: ToolOutput
  readonly messages?: readonly { readonly stopReason?: string }[]
  readonly message?: unknown
  readonly method?: string
}
export interface ToolOutput { readonly content: readonly { readonly type: string; readonly text?: string }[]; readonly details?: unknown }

type Test = (event: PiEvent) => boolean
const WAIT_MS = 60_000

/** A pi process in RPC mode. */
export class Rpc {
  readonly events: PiEvent[] = []
  readonly exited: Promise<number | string>
  stderr = ''
  /** Characters received, all in all. */
  received = 0
  private readonly child: ChildProcessWithoutNullStreams
  private readonly version: Version
  private readonly waiting = new Set<(event: PiEvent) => void>()
  private rest = ''
  private lastId = 0

  constructor(child: ChildProcessWithoutNullStreams, version: Version) {
    this.child = child
    this.version = version
    this.exited = new Promise(done => child.once('close', (code, signal) => done(code ?? signal ?? '?')))
    child.stdin.on('error', () => {})
    child.stderr.setEncoding('utf8').on('data', (text: string) => { this.stderr += text })
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.read(text))
  }

  get pid(): number { return this.child.pid ?? 0 }

  /** The next event that passes; with `from`, already received events count from that index on. */
  async next(test: Test, { from = this.events.length, timeout = WAIT_MS } = {}): Promise<PiEvent> {
    const known = this.events.slice(from).find(test)
    if (known !== undefined) return known
    let stop = (): void => {}
    const found = new Promise<PiEvent>((resolve, reject) => {
      const check = (event: PiEvent): void => { if (test(event)) resolve(event) }
      const fail = (why: string): void => reject(new Error(`pi ${why}; last events: ${this.events.slice(-6).map(event => event.type).join(' ')}; stderr: ${this.stderr}`))
      const timer = setTimeout(fail, timeout, 'said nothing of the kind in time')
      void this.exited.then(code => fail(`exited with ${code}`))
      this.waiting.add(check)
      stop = () => { clearTimeout(timer); this.waiting.delete(check) }
    })
    return found.finally(stop)
  }

  /** Sends a command and returns its response. */
  async send(type: string, fields: object = {}): Promise<PiEvent> {
    const id = `rpc-${++this.lastId}`
    const response = this.next(event => event.type === 'response' && event.id === id)
    this.child.stdin.write(`${JSON.stringify({ id, type, ...fields })}\n`)
    return response
  }

  /** Sends a prompt and waits until pi has nothing more to do. */
  async prompt(message: string, timeout = WAIT_MS): Promise<void> {
    const from = this.events.length
    const response = await this.send('prompt', { message })
    if (response.success !== true) throw new Error(response.error)
    await this.settled(from, timeout)
  }

  /** 0.73 says only that a run has ended, and perhaps then that it tries again. */
  async settled(from = this.events.length, timeout = WAIT_MS): Promise<void> {
    const ended = this.version === '0.73' ? 'agent_end' : 'agent_settled'
    await this.next(event => event.type === ended, { from, timeout })
  }

  /** Ends of the cells so far. */
  cells(): readonly PiEvent[] { return this.events.filter(event => event.type === 'tool_execution_end' && event.toolName === 'execute') }

  /** Closing stdin is how an RPC client says goodbye. */
  async close(): Promise<number | string> {
    this.child.stdin.end()
    const timer = setTimeout(() => this.child.kill('SIGTERM'), 10_000)
    const code = await this.exited
    clearTimeout(timer)
    return code
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.exited
  }

  private read(text: string): void {
    this.received += text.length
    // Not readline: that splits at U+2028, too.
    const lines = (this.rest + text).split('\n')
    this.rest = lines.pop() ?? ''
    for (const line of lines.filter(each => each !== '')) {
      const event: PiEvent = { ...JSON.parse(line) as PiEvent, at: performance.now() }
      this.events.push(event)
      for (const check of [...this.waiting]) check(event)
    }
  }
}
