import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { EngineSupervisor, type ExecuteOptions, type Preset } from '../../kernel/index.ts'
import { watchEndings } from './ending.ts'
import { readEnvironment } from './environment.ts'
import { type Arguments, positiveInteger } from './flags.ts'
import type { Io } from './io.ts'
import { misuse } from './misuse.ts'
import { loadPreset } from '../load/preset.ts'
import { tellNotKept } from './not-kept.ts'
import { outlivingSpill } from './spill.ts'

/** After the process was told to end, how long the command may still answer what is pending, in milliseconds. */
const LAST_ANSWERS_MS = 1_500

/** A notebook as the command line opens it. */
export interface Notebook {
  readonly supervisor: EngineSupervisor
  readonly preset: Preset
  /** Where names are kept; null when they are not. */
  readonly snapshot: string | null
  /** What the flags and the environment say of every cell. */
  readonly cellOptions: Pick<ExecuteOptions, 'timeoutMs' | 'maxOutputChars'>
  /** Fires when the process is told to end. */
  readonly ending: AbortSignal
}

/** Checks flags and environment, opens the notebook, hands it to `work`, and leaves nothing running whatever happens. */
export async function withNotebook(args: Arguments, io: Io, attended: boolean, work: (notebook: Notebook) => Promise<number>): Promise<number> {
  const settings = readEnvironment(io.env, attended)
  const maxOutput = args.text('max-output')
  const maxOutputChars = maxOutput === undefined ? undefined : positiveInteger('--max-output', maxOutput)
  const cwd = checkedFolder(resolve(io.cwd, args.text('cwd') ?? '.'))
  const preset = await loadPreset(args.text('preset') ?? settings.preset ?? 'default', io.cwd)
  const snapshot = stateFolder(args.text('snapshot'), io.cwd)
  const supervisor = new EngineSupervisor({ preset, cwd, env: io.env, options: outlivingSpill(preset), losses: 'new', ...(snapshot !== null && { snapshot: { path: snapshot } }) })
  const endings = watchEndings(io)
  try {
    const done = work({
      supervisor, preset, snapshot, ending: endings.signal,
      cellOptions: { ...(settings.cellTimeoutMs !== null && { timeoutMs: settings.cellTimeoutMs }), ...(maxOutputChars !== undefined && { maxOutputChars }) },
    })
    // Whatever is still to come of a command that was given up has an owner here.
    done.catch(() => {})
    const code = await Promise.race([done, lastAnswers(endings.signal)])
    return endings.ending()?.exitCode ?? code
  } catch (error) {
    const ending = endings.ending()
    if (ending === null) throw error
    return ending.exitCode
  } finally {
    if (snapshot !== null && endings.ending() === null) await tellNotKept(supervisor, io)
    await supervisor.dispose()
    endings.release()
  }
}

function lastAnswers(signal: AbortSignal): Promise<number> {
  return new Promise(resolve => {
    signal.addEventListener('abort', () => { setTimeout(() => { resolve(1) }, LAST_ANSWERS_MS) }, { once: true })
  })
}

function checkedFolder(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw misuse(`--cwd '${path}' does not exist`)
  if (!found.isDirectory()) throw misuse(`--cwd '${path}' is not a directory`)
  return path
}

function stateFolder(given: string | undefined, cwd: string): string | null {
  if (given === undefined) return null
  const path = resolve(cwd, given)
  try {
    makeFolder(path)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw misuse(`--snapshot '${path}' cannot be used: ${(cause as Error).message}. Name a folder that this user may write.`, cause)
  }
  return path
}

/** Step by step: node's own recursive mkdir never returns where a file system refuses new folders as not found, as /proc does. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}
