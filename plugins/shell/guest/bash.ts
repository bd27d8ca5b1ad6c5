import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { type DataFiles, dataFiles } from './redirect.ts'
import { Places, quoted } from './quote.ts'
import type { Runner, Script, ShellResult, ShellRun } from './run.ts'
import { isRaw } from './values.ts'

const SHELLS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash']

/** Runs scripts in bash, or in sh where there is none. */
export function bashRunner(): Runner {
  const shell = SHELLS.find(path => existsSync(path)) ?? '/bin/sh'
  return async run => {
    const files = dataFiles()
    const text = scriptText(run.script, files)
    await files.open()
    try {
      return await execute(shell, text, run)
    } finally {
      await files.close()
    }
  }
}

function execute(shell: string, text: string, { cwd, env, say }: ShellRun): Promise<ShellResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(shell, ['-c', text], { cwd, env: env as NodeJS.ProcessEnv, stdio: ['ignore', 'pipe', 'pipe'] })
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

/** The command as bash reads it, each value quoted for the place it stands in. */
export function scriptText({ strings, values }: Script, files: DataFiles): string {
  const places = new Places()
  return strings.raw.map((piece, index) => {
    places.read(piece)
    return index < values.length ? piece + written(values[index]) : piece

    function written(value: unknown): string {
      if (Array.isArray(value)) return value.map(written).join(' ')
      if (isRaw(value)) return value.raw
      return quoted(files.fileFor(value, piece, index + 1) ?? String(value as string), places.place)
    }
  }).join('')
}
