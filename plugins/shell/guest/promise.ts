import { ShellError, ShellOutput } from './output.ts'
import type { ShellResult } from './run.ts'

/** What may be chosen for one command before it starts. */
export interface Settings { cwd: string | undefined; env: Readonly<Record<string, string | undefined>> | undefined; throws: boolean; quiet: boolean }
type Start = (settings: Readonly<Settings>) => Promise<ShellResult>

/** A command: chosen first, started by the first `await`, `then` or `run()`. */
export class ShellPromise extends Promise<ShellOutput> {
  static override get [Symbol.species](): PromiseConstructor { return Promise }
  readonly #start: Start
  readonly #command: string
  readonly #written = new Error('written here')
  readonly #settings: Settings
  readonly #resolve: (output: ShellOutput | Promise<ShellOutput>) => void
  #started = false

  constructor(command: string, settings: Settings, start: Start) {
    let settle: (output: ShellOutput | Promise<ShellOutput>) => void = () => {}
    super(resolve => { settle = resolve })
    this.#resolve = settle
    this.#command = command
    this.#settings = { ...settings }
    this.#start = start
  }

  cwd(folder?: string): this { return this.#choose({ cwd: folder }) }
  env(variables?: Readonly<Record<string, string | undefined>>): this { return this.#choose({ env: variables }) }
  quiet(quiet = true): this { return this.#choose({ quiet }) }

  nothrow(): this { return this.throws(false) }
  throws(throws: boolean): this {
    this.#settings.throws = throws
    return this
  }

  async text(encoding?: BufferEncoding): Promise<string> { return (await this.quiet()).text(encoding) }
  async json(): Promise<unknown> { return (await this.quiet()).json() }
  async bytes(): Promise<Uint8Array> { return (await this.quiet()).bytes() }
  async arrayBuffer(): Promise<ArrayBuffer> { return (await this.quiet()).arrayBuffer() }
  async blob(): Promise<Blob> { return (await this.quiet()).blob() }
  async * lines(): AsyncGenerator<string> {
    const text = await this.text()
    yield* (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
  }

  /** Starts the command without waiting for it. */
  run(): this {
    if (this.#started) return this
    this.#started = true
    this.#resolve(this.#outcome())
    return this
  }

  override then<Ok = ShellOutput, Bad = never>(ok?: ((output: ShellOutput) => Ok | PromiseLike<Ok>) | null, bad?: ((error: unknown) => Bad | PromiseLike<Bad>) | null): Promise<Ok | Bad> {
    void this.run()
    return super.then(ok, bad)
  }

  async #outcome(): Promise<ShellOutput> {
    const output = new ShellOutput(await this.#start(this.#settings))
    if (this.#settings.throws && output.exitCode !== 0) throw new ShellError(this.#command, output, this.#written)
    return output
  }

  #choose(change: Partial<Settings>): this {
    if (this.#started) throw new Error('The command is already running: choose cwd, env and quiet before the first await.')
    Object.assign(this.#settings, change)
    return this
  }
}
