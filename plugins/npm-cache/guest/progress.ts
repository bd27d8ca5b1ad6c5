import type { CellContext } from '../../../guest/context.ts'
import { afterMs, now, stopTimer } from './builtins.ts'
import type { Manifest } from './manifest.ts'

const FIRST_MS = 1000
const NEXT_MS = 5000

/** Says on the cell's stderr that an install is under way once it takes longer than a second; answers how to stop. */
export function reportProgress(cell: CellContext | undefined, title: string): () => void {
  const started = now()
  const say = (text: string, next: number) => {
    cell?.print('stderr', `${title}: ${text}\n`)
    timer = afterMs(() => say(`still installing (${Math.round((now() - started) / 1000)} s)`, NEXT_MS), next)
  }
  let timer = afterMs(() => say('installing…', NEXT_MS), FIRST_MS)
  return () => stopTimer(timer)
}

const sizeOf = (bytes: number): string =>
  bytes < 1e3 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`

/** What an install brought, for the line that reports it. */
export function describeInstall({ files, bytes, unrunScripts }: Manifest, ms: number): string {
  const scripts = unrunScripts.length === 0 ? '' : `; install scripts not run: ${unrunScripts.join(', ')}`
  return ` (installed: ${files.length} files, ${sizeOf(bytes)}, ${(ms / 1000).toFixed(1)} s${scripts})`
}
