import type { CellResult, LateText, RestoreReport, Thrown } from '../../kernel/index.ts'
import { plain } from './plain.ts'

/** How a place in a cell is written for the reader: `cell 3:12:5`, or the file's own lines. */
export type Places = (stackLine: string) => string
const asTheyAre: Places = line => line

/** Causes shown of one error. */
const CAUSES = 8

/** What is printed when a cell is over, besides the output that was shown as it came. */
export interface Printed { readonly out: string; readonly err: string }

interface Telling {
  readonly places?: Places
  /** Whether the guest still runs the cell that was cancelled: then nothing is said of it here, as what becomes of its names is open. */
  readonly stuck?: boolean
}

/** The end of a cell for a person: what came late and what there is to know on stderr, the result on stdout, an error on stderr. */
export function renderEnd(result: CellResult, { places = asTheyAre, stuck = false }: Telling = {}): Printed {
  const failed = stuck && result.status === 'aborted' ? [] : failure(result, places)
  const err = [...result.late.map(renderLate), ...result.notices.map(renderNotice), ...failed]
  return { out: result.result === undefined ? '' : `${plain(result.result)}\n`, err: err.map(text => `${text}\n`).join('') }
}

function failure(result: CellResult, places: Places): string[] {
  switch (result.status) {
    case 'ok': return []
    case 'aborted': return ['The cell was cancelled; what it had bound stays.']
    case 'error': return result.error === undefined ? ['The cell failed.'] : [renderError(result.error, places)]
  }
}

/** An error with its cell's own stack lines and its causes. */
export function renderError(error: Thrown, places: Places = asTheyAre): string {
  const lines: string[] = []
  let prefix = ''
  let depth = 0
  for (let at: Thrown | undefined = error; at !== undefined; at = at.cause) {
    if (depth++ === CAUSES) { lines.push('Caused by more errors, not shown'); break }
    lines.push(plain(`${prefix}${headline(at)}`), ...at.stack.map(line => `    ${plain(places(line))}`))
    prefix = 'Caused by '
  }
  return lines.join('\n')
}

function headline({ name, code, message }: Thrown): string {
  const shown = code === undefined || name === code ? name : `${name} [${code}]`
  return message === '' ? shown : `${shown}: ${message}`
}

const renderNotice = (text: string): string => `* ${plain(text).replaceAll('\n', '\n  ')}`

const renderLate = ({ cell, channel, text }: LateText): string => `* Said late by cell ${plain(cell)} on ${channel}:\n${plain(text).replace(/\n$/, '')}`

/** What a restore brought, in a line; empty when there was nothing to bring. */
export function renderRestore(report: RestoreReport | null): string {
  if (report === null) return ''
  const count = report.restored.length + report.deferred.length
  const later = report.deferred.length === 0 ? '' : ` (${report.deferred.length} loaded when first read)`
  return `${count} name${count === 1 ? '' : 's'} came back from generation ${report.generation}${later}`
}

/** A size for people. */
export function renderBytes(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  const step = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return step === 0 ? `${bytes} bytes` : `${(bytes / 1_000 ** step).toFixed(1)} ${units[step]}`
}
