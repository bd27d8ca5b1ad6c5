import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface TuiSize { readonly cols?: number; readonly rows?: number }
interface Start extends TuiSize {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly root: string
}

/** How long typed text has to stand before Enter, and how long it may take to show, in milliseconds. */
const SETTLE_MS = 300
const ECHO_MS = 5_000

let started = 0

/** pi's terminal interface in a private tmux server. */
export class Tui {
  readonly pid: number
  private readonly socket: string

  static start({ command, cwd, env, root, cols = 100, rows = 40 }: Start): Tui {
    const name = `tmux-${++started}`
    const config = join(root, `${name}.conf`)
    writeFileSync(config, ['status off', 'extended-keys on', 'escape-time 0', 'history-limit 20000', 'remain-on-exit on'].map(line => `set -g ${line}\n`).join(''))
    // `env -i`, as a tmux server passes on its own environment otherwise.
    const variables = Object.entries({ ...env, TERM: 'tmux-256color' }).map(([key, value]) => `${key}=${value}`)
    return new Tui(join(root, `${name}.sock`), ['-f', config, 'new-session', '-d', '-s', 'pi', '-x', String(cols), '-y', String(rows), '-c', cwd, 'env', '-i', ...variables, ...command])
  }

  private constructor(socket: string, start: readonly string[]) {
    this.socket = socket
    this.tmux(...start)
    this.pid = Number(this.format('#{pane_pid}'))
  }

  /** Presses keys by tmux name (`Enter`, `Escape`, `C-o`). */
  keys(...keys: readonly string[]): void { this.tmux('send-keys', '-t', 'pi', ...keys) }

  /** Types text as a person does, looking that it stands there, then Enter: pi empties its editor once a command has ended. */
  async submit(text: string): Promise<void> {
    const stands = (): boolean => this.capture().includes(text.slice(-20))
    for (let tries = 0; tries < 5; tries++) {
      this.tmux('send-keys', '-t', 'pi', '-l', '--', text)
      for (const end = Date.now() + ECHO_MS; Date.now() < end && !stands();) await sleep(50)
      await sleep(SETTLE_MS)
      if (stands()) break
    }
    this.keys('Enter')
  }

  /** The visible pane as text; with `colours`, escape sequences included. */
  capture({ colours = false } = {}): string { return this.tmux('capture-pane', '-p', ...(colours ? ['-e'] : []), '-t', 'pi') }

  resize(cols: number, rows: number): void { this.tmux('resize-window', '-t', 'pi', '-x', String(cols), '-y', String(rows)) }

  /** Waits until the pane shows `pattern`, and returns the pane. */
  async waitFor(pattern: string | RegExp, timeout = 30_000): Promise<string> {
    let pane = ''
    for (const end = Date.now() + timeout; Date.now() < end; await sleep(50)) {
      pane = this.capture()
      if (typeof pattern === 'string' ? pane.includes(pattern) : pattern.test(pane)) return pane
    }
    throw new Error(`the pane never showed ${String(pattern)}:\n${pane}`)
  }

  /** Waits until pi is gone, and returns its exit status. */
  async exited(timeout = 15_000): Promise<number> {
    for (const end = Date.now() + timeout; Date.now() < end; await sleep(50)) {
      if (this.format('#{pane_dead}') === '1') return Number(this.format('#{pane_dead_status}'))
    }
    throw new Error(`pi did not exit:\n${this.capture()}`)
  }

  /** Closes the terminal, if it is still open. */
  kill(): Promise<void> {
    try {
      this.tmux('kill-server')
    } catch {
      // The server has ended already.
    }
    return Promise.resolve()
  }

  private format(text: string): string { return this.tmux('display-message', '-p', '-t', 'pi', text).trim() }

  private tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-S', this.socket, ...args], { encoding: 'utf8', env: { ...process.env, LANG: 'C.UTF-8' }, stdio: ['ignore', 'pipe', 'pipe'] })
  }
}
