import type { Channel } from '../../../guest/protocol.ts'

/** A command as a template: the literal pieces, and the checked values between them. */
export interface Script { readonly strings: TemplateStringsArray; readonly values: readonly unknown[] }

/** One execution of a script. */
export interface ShellRun {
  readonly script: Script
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Takes output as it comes; null when the command is quiet. */
  readonly say: ((channel: Channel, bytes: Uint8Array) => void) | null
}

/** What a finished command left. */
export interface ShellResult { readonly exitCode: number; readonly stdout: Buffer; readonly stderr: Buffer }

/** Runs a script to its end, whatever its exit code; rejects when it cannot be run at all. */
export type Runner = (run: ShellRun) => Promise<ShellResult>
