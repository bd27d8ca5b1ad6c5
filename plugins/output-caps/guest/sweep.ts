import fs from 'node:fs'
import path from 'node:path'

const { readdirSync, statSync, unlinkSync } = fs
const { join } = path
const { kill } = process
const { now } = Date
const DAY_MS = 86_400_000

/** How much of what earlier sessions spilled stays. */
export interface Keep { readonly files: number; readonly bytes: number; readonly days: number }

/** The name of a cell's spill files: it tells the session by its host's process, and the guest, as a session may have several. */
export const spillName = (cell: number): string => `cell-${cell}-${process.ppid}-${process.pid}`
const NAME = /^cell-\d+-(\d+)-\d+-(?:stdout|stderr|result)\.txt$/

/** Removes the oldest spill files of a folder beyond what is to be kept; never one of a session that still runs, whose results name it. */
export function sweep(folder: string, keep: Keep): void {
  let files = 0
  let bytes = 0
  for (const { file, size, age, host } of spilled(folder)) {
    files += 1
    bytes += size
    if (files <= keep.files && bytes <= keep.bytes && age <= keep.days * DAY_MS) continue
    if (runs(host)) continue
    try { unlinkSync(file) } catch { /* someone else's by now */ }
  }
}

interface Spilled { readonly file: string; readonly size: number; readonly age: number; readonly host: number }

/** The spill files of a folder, newest first. */
function spilled(folder: string): Spilled[] {
  const found: Spilled[] = []
  for (const name of namesIn(folder)) {
    const host = NAME.exec(name)?.[1]
    if (host === undefined) continue
    try {
      const file = join(folder, name)
      const { size, mtimeMs } = statSync(file)
      found.push({ file, size, age: now() - mtimeMs, host: Number(host) })
    } catch { /* gone meanwhile */ }
  }
  return found.sort((a, b) => a.age - b.age)
}

function namesIn(folder: string): string[] {
  try { return readdirSync(folder) } catch { return [] }
}

function runs(pid: number): boolean {
  try { return kill(pid, 0) } catch (error) { return (error as NodeJS.ErrnoException).code === 'EPERM' }
}
