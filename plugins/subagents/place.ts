import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import type { Handover } from './handover.ts'

/** Where a family keeps its records, and where the tree they belong to begins. */
export interface Place {
  /** Holds one folder for the root session and for each child. */
  readonly base: string
  /** This process's own folder in `base`. */
  readonly session: string
  /** The folder of the tree's root in `base`. */
  readonly root: string
  /** Set when nothing is to be kept: removes everything. */
  readonly discard?: () => void
}

/** A child uses its own folder beside its parent's; a root the folder of its session, or a private one for the time being. */
export function placeFor(statePath: string | null, handover: Handover | undefined): Place {
  if (handover !== undefined) return { base: handover.base, session: handover.id, root: handover.root }
  if (statePath !== null) {
    const own = resolve(statePath)
    return { base: dirname(own), session: basename(own), root: basename(own) }
  }
  const base = mkdtempSync(join(tmpdir(), 'pi-rlm-children-'))
  return { base, session: 'session', root: 'session', discard: () => rmSync(base, { recursive: true, force: true }) }
}
