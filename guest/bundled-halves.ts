import type { GuestHalf } from './guest.ts'

/** Halves by their path in the package. Empty here: the build puts the package's own into the guest's bundle. */
export const bundledHalves: Readonly<Record<string, () => Promise<{ readonly default: GuestHalf<unknown> }>>> = {}
