import type { Guest } from '../../guest/guest.ts'

/** Defers what is at least `minBytes` large and was not touched for `minAgeCells` cells. */
export default function lazyRestore(guest: Guest, options: { minBytes: number; minAgeCells: number }): void {
  guest.hooks.onRestore.tap('lazy-restore', ({ bytes, idleCells }) => bytes >= options.minBytes && idleCells >= options.minAgeCells ? 'defer' : undefined)
}
