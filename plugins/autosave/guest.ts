import type { Guest } from '../../guest/guest.ts'

/** Sets how much may be saved. */
export default function autosave(guest: Guest, options: { maxValueBytes: number; maxTotalBytes: number }): void {
  guest.stateLimits({ maxValueBytes: options.maxValueBytes, maxTotalBytes: options.maxTotalBytes })
}
