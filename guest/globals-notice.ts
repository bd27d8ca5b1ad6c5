import type { Handles } from './handles.ts'

/** Changed globals named in one notice. */
const NAMED = 12

/** A task that says once which globals cells have replaced, and how to have them back. */
export function globalsNotice(notice: (text: string) => void, handles: Handles): (changed: readonly string[]) => void {
  let told = ''
  return changed => {
    const names = changed.slice(0, NAMED).join(', ')
    if (names === told) return
    told = names
    if (names === '') return
    const more = changed.length > NAMED ? ` and ${changed.length - NAMED} more` : ''
    notice(`A cell replaced globals: ${names}${more}.${handles.has('rlm', 'resetGlobals') ? ' rlm.resetGlobals() puts the originals back.' : ''}`)
  }
}
