import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { type DataFiles, dataFiles } from './redirect.ts'
import { Places, quoted, withDescriptors } from './quote.ts'
import type { Runner, Script, ShellResult, ShellRun } from './run.ts'
import { asText, isRaw } from './values.ts'

/** A program that runs a script: its path, and its arguments for a script's text. */
export interface ShellProgram { readonly path: string; args(text: string): readonly string[] }

const BASH = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash']

/**
 * Bun's own shell where there is bun, else bash or sh. Bun's runs in a process of its own, too: inside the guest its
 * output could be told only at the end, and a cancel would end one command after the other and run those behind.
 */
export function shellProgram(): ShellProgram {
  if (process.versions['bun'] === undefined) return { path: BASH.find(path => existsSync(path)) ?? '/bin/sh', args: text => ['-c', text] }
  return { path: process.execPath, args: text => ['--no-env-file', '--config=/dev/null', 'exec', withDescriptors(text)] }
}

/** Runs scripts by a program, data in their redirections by files. */
export function createRunner(program: ShellProgram): Runner {
  return async run => {
    const files = dataFiles()
    const text = scriptText(run.script, files)
    await files.open()
    try {
      return await execute(program.path, program.args(text), run)
    } finally {
      await files.close()
    }
  }
}

function execute(path: string, args: readonly string[], { cwd, env, say }: ShellRun): Promise<ShellResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { cwd, env: env as NodeJS.ProcessEnv, stdio: ['ignore', 'pipe', 'pipe'] })
    const got = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
    for (const channel of ['stdout', 'stderr'] as const) {
      child[channel].on('data', (bytes: Buffer) => {
        got[channel].push(bytes)
        say?.(channel, bytes)
      })
    }
    child.on('error', reject)
    child.on('close', (code, signal) => {
      resolve({ exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), stdout: Buffer.concat(got.stdout), stderr: Buffer.concat(got.stderr) })
    })
  })
}

/** The script as the shell reads it, each value quoted for the place it stands in. */
export function scriptText({ strings, values }: Script, files: DataFiles): string {
  const places = new Places()
  return strings.raw.map((piece, index) => {
    places.read(piece)
    return index < values.length ? piece + written(values[index]) : piece

    function written(value: unknown): string {
      if (Array.isArray(value)) return value.map(written).join(' ')
      if (isRaw(value)) return value.raw
      return quoted(files.fileFor(value, piece, index + 1) ?? asText(value), places.place)
    }
  }).join('')
}
