import type { Thrown } from '../../guest/protocol.ts'
import type { CellResult } from '../../kernel/result.ts'
import { withoutEscapes } from './view/clean.ts'
import type { Section, SectionKind } from './view/layout.ts'

/** Where a section stands in the text: the view cuts it out again, so that a transcript holds each output once. */
export type Span = readonly [kind: SectionKind, from: number, to: number]

/** What is kept beside the text of a finished cell, for the view. */
export interface CellDetails {
  readonly cell: number
  readonly status: CellResult['status']
  readonly durationMs: number
  readonly errorName?: string
  /** The text is less than what was printed. */
  readonly cut?: true
  readonly spans: readonly Span[]
}

/** A result as the model reads it, and what the view needs to know of it. */
export interface Shown { readonly text: string; readonly details: CellDetails }

export function showResult(result: CellResult): Shown {
  const sections = sectionsOf(result)
  const spans: Span[] = []
  let text = ''
  for (const section of sections) {
    const label = labelOf(section, sections)
    const start = text === '' ? '' : text.endsWith('\n') ? '' : '\n'
    const from = text.length + start.length + label.length
    text += start + label + section.text
    spans.push([section.kind, from, from + section.text.length])
  }
  const { cell, status, durationMs, error } = result
  return {
    text: text === '' ? '(no output)' : text,
    details: { cell: cell.number, status, durationMs, ...(error && { errorName: error.name }), ...(result.cut && { cut: true }), spans },
  }
}

/** The sections of a finished cell, cut out of its text. */
export const sectionsIn = (text: string, details: CellDetails): Section[] => details.spans.map(([kind, from, to]) => ({ kind, text: text.slice(from, to) }))

interface Labelled extends Section { readonly label?: string }

function sectionsOf(result: CellResult): Labelled[] {
  const sections: Labelled[] = [
    { kind: 'notice', text: result.notices.map(notice => `Notice: ${notice}`).join('\n') },
    ...result.late.map(late => ({ kind: 'late' as const, text: withoutEscapes(late.text), label: `[printed later by an earlier cell (${late.cell})${late.channel === 'stderr' ? ', stderr' : ''}]\n` })),
    { kind: 'stdout', text: withoutEscapes(result.stdout) },
    { kind: 'stderr', text: withoutEscapes(result.stderr), label: '[stderr]\n' },
    { kind: 'result', text: result.result ?? '', label: '[result]\n' },
    { kind: 'error', text: endText(result) },
  ]
  return sections.filter(section => section.text !== '')
}

/** A result alone needs no label, nor do notices and errors, which say what they are. */
function labelOf(section: Labelled, all: readonly Labelled[]): string {
  if (section.kind === 'result' && !all.some(other => other.kind === 'stdout' || other.kind === 'stderr' || other.kind === 'late')) return ''
  return section.label ?? ''
}

function endText({ status, error }: CellResult): string {
  if (error) return thrownText(error)
  return status === 'aborted' ? 'Cancelled. Names bound before that are kept.' : ''
}

/** An error as Node prints one: name, message, the cell's own stack lines, causes. */
function thrownText(error: Thrown): string {
  const head = error.message === '' ? error.name : `${error.name}: ${error.message}`
  const own = [head, ...error.stack.map(line => `    ${line.trim()}`)].join('\n')
  return error.cause === undefined ? own : `${own}\n  caused by ${thrownText(error.cause)}`
}
