import type { Notebook } from './notebook.ts'

/** One place for all copies of this module in a process: a reload evaluates the extension afresh. */
const KEPT = Symbol.for('pi-rlm.notebooks')
/** A notebook that no reloaded extension takes up is ended after this time. */
const ADOPTION_MS = 10_000

interface Kept { readonly notebook: Notebook; readonly timer: NodeJS.Timeout }

function shelf(): Map<string, Kept> {
  const home = globalThis as unknown as Record<symbol, Map<string, Kept> | undefined>
  return home[KEPT] ??= new Map<string, Kept>()
}

/** Keeps a notebook alive over a reload: its functions, open handles and child agents would not survive a new guest. */
export function keepOver(notebook: Notebook): void {
  const { session } = notebook.parts
  const timer = setTimeout(() => {
    shelf().delete(session)
    void notebook.dispose()
  }, ADOPTION_MS)
  timer.unref()
  shelf().set(session, { notebook, timer })
}

/** The notebook that was kept for a session, if one was. */
export function takeUp(session: string): Notebook | undefined {
  const kept = shelf().get(session)
  if (kept === undefined) return undefined
  clearTimeout(kept.timer)
  shelf().delete(session)
  return kept.notebook
}
