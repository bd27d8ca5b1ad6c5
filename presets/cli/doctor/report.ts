import { renderBytes } from '../render.ts'
import { plain } from '../plain.ts'
import { renderTable } from '../table.ts'
import type { Folder } from './folders.ts'
import type { Guest } from './guests.ts'
import type { Found } from './programs.ts'

export interface Variable { readonly name: string; readonly value: string; readonly problem?: string }

/** What the doctor found. */
export interface Report {
  readonly version: string
  readonly host: { readonly name: 'node' | 'bun'; readonly version: string; readonly path: string }
  /** The preset a notebook would be opened with. */
  readonly preset: string
  readonly ok: boolean
  readonly programs: readonly Found[]
  readonly guests: readonly Guest[]
  readonly variables: readonly Variable[]
  readonly folders: readonly Folder[]
}

/** The report for a person: what there is, then what is missing and how to get it. */
export function renderReport(report: Report): string {
  const { host } = report
  const sections = [
    `pi-rlm ${report.version} on ${host.name} ${host.version} (${host.path})`,
    section('Programs', report.programs.map(({ name, version, path }) => [name, version ?? '-', path ?? 'not found'])),
    section('Guests', report.guests.map(({ preset, runtime, startMs, problem }) => [`preset ${preset}`, runtime ?? '-', problem === undefined ? `runs (started in ${startMs} ms)` : 'does not run'])),
    section('Folders', report.folders.map(({ what, exists, bytes, files, path }) => [what, exists ? `${renderBytes(bytes)} in ${files} file${files === 1 ? '' : 's'}` : 'not there yet', path])),
    ...report.variables.length === 0 ? [] : [section('Variables', report.variables.map(({ name, value }) => [name, value]))],
    problems(report),
    notNeeded(report),
    report.ok ? `The notebook is ready (preset ${report.preset}).` : `The notebook cannot be opened with preset ${report.preset}.`,
  ]
  return `${sections.filter(text => text !== '').join('\n\n')}\n`
}

const section = (title: string, rows: readonly (readonly string[])[]): string => `${title}\n${indent(renderTable(rows))}`

const indent = (text: string): string => text.replace(/^/gm, '  ')

function problems({ programs, guests, variables, folders }: Report): string {
  return list('Missing or wrong', [
    ...programs.filter(({ optional }) => optional !== true).flatMap(problemOf),
    ...guests.flatMap(({ preset, problem }) => problem === undefined ? [] : [`preset ${preset}: ${problem}`]),
    ...variables.flatMap(({ problem }) => problem ?? []),
    ...folders.flatMap(({ what, problem }) => problem === undefined ? [] : [`${what}: ${problem}`]),
  ])
}

const notNeeded = ({ programs }: Report): string => list('Optional, and not there', programs.filter(({ optional }) => optional === true).flatMap(problemOf))

const problemOf = ({ name, problem, advice }: Found): string[] => problem === undefined ? [] : [`${name}: ${problem}${advice === undefined ? '' : `\n  To get it: ${advice}`}`]

const list = (title: string, lines: readonly string[]): string => lines.length === 0 ? '' : `${title}\n${indent(plain(lines.join('\n')))}`
