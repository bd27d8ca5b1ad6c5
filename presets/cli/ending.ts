import { constants } from 'node:os'
import type { Io } from './io.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** What a shell reports for a program whose reader left. */
const READER_LEFT = 128 + constants.signals.SIGPIPE

/** Why a command has to stop before it is done. */
export interface Ending { readonly exitCode: number }

/** Fires once when the process is told to end or its reader has left; a second signal ends the process at once. */
export interface Endings {
  readonly signal: AbortSignal
  readonly ending: () => Ending | null
  release(): void
}

/** Listens for the ends that come from outside. The process's own exit takes the guests with it, so leaving at once is safe. */
export function watchEndings(io: Pick<Io, 'stdout' | 'stderr'>): Endings {
  const controller = new AbortController()
  let ending: Ending | null = null
  const end = (exitCode: number): void => {
    if (ending !== null) return
    ending = { exitCode }
    controller.abort()
  }
  const onSignal = (name: NodeJS.Signals): void => {
    const exitCode = 128 + constants.signals[name]
    if (ending !== null) process.exit(exitCode)
    end(exitCode)
  }
  const onStdoutError = (): void => { end(READER_LEFT) }
  const ignore = (): void => {}
  for (const name of SIGNALS) process.on(name, onSignal)
  io.stdout.on('error', onStdoutError)
  io.stderr.on('error', ignore)
  return {
    signal: controller.signal,
    ending: () => ending,
    // The streams keep their listeners: a write that fails after the last line must not end in a stack trace.
    release: () => { for (const name of SIGNALS) process.off(name, onSignal) },
  }
}
