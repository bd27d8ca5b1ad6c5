import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Preset } from '../../../../kernel/index.ts'

/** What a script writes, a line of JSON each. */
export type Line = { readonly type: 'done'; readonly figures: Readonly<Record<string, number>> } | { readonly type: 'failed'; readonly message: string } | { readonly type: 'round' }

/** So long a script may be silent before it counts as hung. */
const SILENT_MS = 120_000
const root = new URL('../../../../', import.meta.url)

/** Runs a script of the tests on a guest's runtime, so that thousands of rounds of the store share one process; answers its figures. */
export async function inside(preset: Preset, script: string, args: object, round: () => void): Promise<Readonly<Record<string, number>>> {
  // Two levels below the root, as the sources are, so that packages are found.
  const folder = new URL(`dist/gate-${process.pid}/`, root)
  mkdirSync(folder, { recursive: true })
  const outfile = fileURLToPath(new URL(`${preset.name}.mjs`, folder))
  try {
    await build({ entryPoints: [fileURLToPath(new URL(script, import.meta.url))], bundle: true, packages: 'external', platform: 'node', format: 'esm', target: 'node20', outfile, tsconfigRaw: {}, logLevel: 'error' })
    return await run(preset, outfile, args, round)
  } finally { rmSync(folder, { recursive: true, force: true }) }
}

async function run(preset: Preset, script: string, given: object, round: () => void): Promise<Readonly<Record<string, number>>> {
  const { command, args, env } = await preset.runtime.plan({ cwd: fileURLToPath(root), env: process.env as Record<string, string> })
  // The script in the place of the guest's own entry, which comes last.
  const child = spawn(command, [...args.slice(0, -1), script, JSON.stringify(given)], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let alarm = setTimeout(() => child.kill('SIGKILL'), SILENT_MS)
  const ended = new Promise<string>(resolve => { child.on('close', (code, signal) => { resolve(signal ?? `code ${code}`) }) })
  let last: Line | undefined
  for await (const text of createInterface({ input: child.stdout })) {
    alarm = alarm.refresh()
    last = JSON.parse(text) as Line
    if (last.type === 'round') round()
  }
  const end = await ended
  clearTimeout(alarm)
  if (last?.type === 'failed') throw new Error(last.message)
  if (last?.type !== 'done') throw new Error(`the ${preset.runtime.name} process ended with ${end} in the middle of a round, or hung`)
  return last.figures
}
