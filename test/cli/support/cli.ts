import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { until } from '../../support/engine.ts'

/** The command line as it ships. */
export const BIN = fileURLToPath(new URL('../../../dist/presets/cli/main.js', import.meta.url))
export const DIST = new URL('../../../dist/', import.meta.url)
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export interface Finished { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly stdout: string; readonly stderr: string }

export interface Start {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** The program that runs it; default: this node. */
  readonly host?: string
}

/** A command line that was started; ended when the test is over. */
export class Cli {
  stdout = ''
  stderr = ''
  readonly child: ChildProcess
  readonly finished: Promise<Finished>

  constructor(args: readonly string[], { cwd = ROOT, env = {}, host = process.execPath }: Start = {}) {
    this.child = spawn(host, [BIN, ...args], { cwd, env: { ...withoutOurs(process.env), ...env }, stdio: 'pipe' })
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => { this.stdout += text })
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => { this.stderr += text })
    this.child.stdin?.on('error', () => {})
    this.finished = new Promise(resolve => {
      this.child.on('close', (code, signal) => { resolve({ code, signal, stdout: this.stdout, stderr: this.stderr }) })
    })
    onTestFinished(() => { this.child.kill('SIGKILL') })
  }

  write(text: string | Uint8Array): this { this.child.stdin?.write(text); return this }
  send(...lines: readonly object[]): this { return this.write(lines.map(line => `${JSON.stringify(line)}\n`).join('')) }
  end(text: string | Uint8Array = ''): Promise<Finished> { this.child.stdin?.end(text); return this.finished }

  /** What was written to stdout so far, as JSON lines. */
  lines(): Record<string, unknown>[] { return jsonLines(this.stdout) }

  /** Waits for a line of JSON on stdout that fits. */
  async line(what: string, fits: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    await until(`${what}; so far: ${this.stdout}${this.stderr}`, () => this.lines().some(fits))
    return this.lines().find(fits) ?? {}
  }

  shows(text: string): Promise<void> { return until(`stdout shows ${text}`, () => this.stdout.includes(text)) }
}

/** Runs it to its end over an input. */
export const cli = (args: readonly string[], input: string | Uint8Array = '', start: Start = {}): Promise<Finished> => new Cli(args, start).end(input)

export const jsonLines = (text: string): Record<string, unknown>[] =>
  text.slice(0, text.lastIndexOf('\n') + 1).split('\n').filter(line => line !== '').map(line => JSON.parse(line) as Record<string, unknown>)

/** The answers to cells by id: the last line that carries it. */
export function answers(text: string): Map<unknown, Record<string, unknown>> {
  return new Map(jsonLines(text).filter(line => 'status' in line || 'op' in line).map(line => [line['id'], line]))
}

const withoutOurs = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PI_RLM_')))

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try { process.kill(pid, 0); return true } catch { return false }
}
