import type { NameReason, RestoreReport, SnapshotReport } from '../guest/protocol.ts'

/** Names listed before the rest is only counted. */
const LISTED = 12
/** How the reason of a name begins that is there, but not as it was. */
const LOSSY = 'saved with loss'

/** What the user is told when the guest was replaced: why, what is back, and what is not. */
export function resetNotice(cause: string, report: RestoreReport | null, tell: LossesToTell = 'all'): string {
  const why = `The notebook was restarted: ${cause}.`
  if (report === null) return `${why} Nothing had been saved: every name is gone. Define again what you need.`
  return [why, restored(report), ...losses(report, tell)].join(' ')
}

/** A model may not have what an earlier notice said in its context any more; a person has read it. */
export type LossesToTell = 'all' | 'new'

/** What a restore could not bring back, or of that what no earlier one told of; empty when all is well. */
export function losses(report: RestoreReport, tell: LossesToTell = 'all'): string[] {
  const news = tell === 'all' ? report.lost : report.lost.filter(({ told }) => told !== true)
  return [
    ...section('Not saved, so gone', news.filter(({ reason }) => !reason.startsWith(LOSSY))), ...section('Came back with a loss', news.filter(({ reason }) => reason.startsWith(LOSSY))),
    ...section('Kept on disk, but not readable now', report.held), ...section('Failed to load', report.failed), ...report.notes,
  ]
}

/** What the last save of a session could not keep, as far as the restore it began with did not tell of it; empty when all is well. */
export function notKept(report: SnapshotReport, before: RestoreReport | null): string[] {
  const isNews = ({ name, reason }: NameReason): boolean => before?.lost.some(each => each.name === name && (each.reason === reason || each.reason === `${LOSSY}: ${reason}`)) !== true
  return [...section('Not saved', report.failed.filter(isNews)), ...section('Saved with a loss', report.lossy.filter(isNews))]
}

function restored({ restored: names, deferred, generation, savedAt }: RestoreReport): string {
  const count = names.length + deferred.length
  const later = deferred.length > 0 ? `, ${deferred.length} of them loaded when first read` : ''
  return `${count} name${count === 1 ? '' : 's'} came back from generation ${generation} (saved ${new Date(savedAt).toISOString()})${later}.`
}

function section(title: string, entries: readonly NameReason[]): string[] {
  if (entries.length === 0) return []
  const shown = entries.slice(0, LISTED).map(({ name, reason }) => `${name} (${reason})`).join(', ')
  const more = entries.length > LISTED ? ` and ${entries.length - LISTED} more` : ''
  return [`${title}: ${shown}${more}.`]
}
