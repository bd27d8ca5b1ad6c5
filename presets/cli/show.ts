import { type CellResult, type ExecuteOptions, RlmError } from '../../kernel/index.ts'
import { type Io, write } from './io.ts'
import type { Notebook } from './notebook.ts'
import { plain } from './plain.ts'
import { type Places, renderEnd } from './render.ts'

/** A cell and how to show it. */
export interface Shown {
  readonly code: string
  /** One line of JSON instead of text for people; these fields come first in it. */
  readonly json: object | null
  readonly places?: Places
  readonly options?: ExecuteOptions
}

/** Runs a cell and shows its output as it comes, then how it ended; cancels it when the process is told to end. */
export async function showCell(notebook: Notebook, io: Io, { code, json, places, options }: Shown): Promise<CellResult> {
  const { supervisor, cellOptions, ending } = notebook
  const stream: ExecuteOptions = json === null
    ? { onStream: (text, channel) => { io[channel].write(plain(text)) } }
    : { json: true }
  const controller = new AbortController()
  const cancel = (): void => { controller.abort() }
  if (ending.aborted) cancel()
  // One listener a cell, taken off with it: a long run must not gather them.
  ending.addEventListener('abort', cancel)
  const result = await settled(supervisor.execute(code, { ...cellOptions, ...stream, signal: controller.signal, ...options }))
    .finally(() => { ending.removeEventListener('abort', cancel) })
  if (json !== null) await write(io.stdout, `${JSON.stringify({ ...json, ...printable(result) })}\n`)
  else await showEnd(result, io, places)
  return result
}

/** The result as a program reads it: a duration to the microsecond, which is finer than it is measured. */
export const printable = (result: CellResult): CellResult => ({ ...result, durationMs: Math.round(result.durationMs * 1_000) / 1_000 })

async function showEnd(result: CellResult, io: Io, places?: Places): Promise<void> {
  const { out, err } = renderEnd(result, places === undefined ? {} : { places })
  // What follows starts on a line of its own, also after output that left its last line open.
  if (out !== '') await write(io.stdout, open(result.stdout) ? `\n${out}` : out)
  if (err !== '') await write(io.stderr, open(result.stderr) ? `\n${err}` : err)
}

const open = (text: string): boolean => text !== '' && !text.endsWith('\n')

/** The result of a call, also when it has none because its guest died or the engine refused it. */
export async function settled(call: Promise<CellResult>, cellId = ''): Promise<CellResult> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    const { code, name, message } = error as RlmError
    const partial = 'partial' in error ? error.partial as CellResult : nothing(cellId)
    return { ...partial, status: 'error', error: { name, message, stack: [], code } }
  }
}

const nothing = (id: string): CellResult => ({ cell: { id, number: 0 }, status: 'error', stdout: '', stderr: '', durationMs: 0, images: [], notices: [], late: [] })
