import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

/** Lines remembered from one session to the next. */
const REMEMBERED = 1_000

/** This user's state folder: XDG_STATE_HOME/pi-rlm, else ~/.local/state/pi-rlm. */
export function userStateFolder(env: Readonly<Record<string, string | undefined>>): string {
  const xdg = env['XDG_STATE_HOME']
  // The XDG specification asks to ignore a relative path.
  return join(xdg !== undefined && isAbsolute(xdg) ? xdg : join(env['HOME'] ?? homedir(), '.local', 'state'), 'pi-rlm')
}

/** The lines a user typed, oldest first on disk; sessions side by side only append. */
export class History {
  readonly file: string
  private readonly warn: (text: string) => void
  private usable = true

  constructor(folder: string, warn: (text: string) => void) {
    this.file = join(folder, 'history')
    this.warn = warn
  }

  /** The remembered lines, newest first, as readline wants them. */
  load(): string[] {
    return this.attempt(() => {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 })
      // Created here, so that the first line a user types is already private.
      appendFileSync(this.file, '', { mode: 0o600 })
      const lines = readFileSync(this.file, 'utf8').split('\n').filter(line => line !== '')
      const kept = lines.slice(-REMEMBERED)
      if (lines.length > 2 * REMEMBERED) writeFileSync(this.file, kept.map(line => `${line}\n`).join(''), { mode: 0o600 })
      return kept.reverse()
    }) ?? []
  }

  add(text: string): void {
    if (this.usable) this.attempt(() => { appendFileSync(this.file, `${text}\n`, { mode: 0o600 }) })
  }

  private attempt<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.usable = false
      this.warn(`History is not kept: ${(error as Error).message}`)
      return undefined
    }
  }
}
