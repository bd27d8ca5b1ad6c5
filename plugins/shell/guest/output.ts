import type { InspectOptions } from 'node:util'
import { custom, inspect } from '../../../guest/describe/inspector.ts'
import type { ShellResult } from './run.ts'

/** What a command left, as values. */
export class ShellOutput {
  readonly exitCode: number
  readonly stdout: Buffer
  readonly stderr: Buffer

  constructor({ exitCode, stdout, stderr }: ShellResult) {
    this.exitCode = exitCode
    this.stdout = stdout
    this.stderr = stderr
  }

  text(encoding?: BufferEncoding): string { return this.stdout.toString(encoding) }
  json(): unknown { return JSON.parse(this.stdout.toString()) }
  bytes(): Uint8Array { return new Uint8Array(this.stdout) }
  arrayBuffer(): ArrayBuffer { return new Uint8Array(this.stdout).buffer }
  blob(): Blob { return new Blob([new Uint8Array(this.stdout)]) }

  /** Shown as text, and short: what was not quieted has been printed. */
  [custom](_depth: number, options: InspectOptions): string {
    return `ShellOutput ${inspect({ exitCode: this.exitCode, stdout: shortened(this.stdout), stderr: shortened(this.stderr) }, { ...options, breakLength: 100 })}`
  }
}

const SHOWN_CHARS = 400

function shortened(output: Buffer): string {
  const text = output.subarray(0, SHOWN_CHARS * 4).toString()
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}… (${output.length} bytes)` : text
}

/** A command that ended with another code than 0. */
export class ShellError extends Error {
  override readonly name = 'ShellError'
  readonly code = 'SHELL_FAILED'
  readonly exitCode: number
  readonly stdout: Buffer
  readonly stderr: Buffer
  // Bun's name for the same facts; not enumerable, or a shown error would say everything twice.
  declare readonly info: ShellResult
  readonly #output: ShellOutput

  /** `written` was made where the command was written: that is where the stack points. */
  constructor(command: string, output: ShellOutput, written: Error) {
    super([`Failed with exit code ${output.exitCode}: ${command}`, lastLines(output.stderr)].filter(text => text !== '').join('\n'))
    this.exitCode = output.exitCode
    this.stdout = output.stdout
    this.stderr = output.stderr
    this.#output = output
    const frames = (written.stack ?? '').split('\n').filter(line => /^\s+at /.test(line))
    Object.defineProperty(this, 'stack', { value: [`ShellError: ${this.message}`, ...frames].join('\n'), writable: true, configurable: true })
    for (const name of ['stdout', 'stderr']) Object.defineProperty(this, name, { enumerable: false })
    Object.defineProperty(this, 'info', { value: { exitCode: output.exitCode, stdout: output.stdout, stderr: output.stderr }, enumerable: false })
  }

  text(encoding?: BufferEncoding): string { return this.#output.text(encoding) }
  json(): unknown { return this.#output.json() }
  bytes(): Uint8Array { return this.#output.bytes() }
  arrayBuffer(): ArrayBuffer { return this.#output.arrayBuffer() }
  blob(): Blob { return this.#output.blob() }
}

const TAIL_LINES = 12
const TAIL_BYTES = 2_000

function lastLines(stderr: Buffer): string {
  const lines = stderr.subarray(-TAIL_BYTES).toString().trimEnd().split('\n')
  const cut = lines.length > TAIL_LINES || stderr.length > TAIL_BYTES
  return (cut ? ['…', ...lines.slice(-TAIL_LINES)] : lines).join('\n')
}
