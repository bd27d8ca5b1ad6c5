import { existsSync } from 'node:fs'
import { cp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

const FOLDER = '.pi-rlm'
/** What belongs to one session alone: who writes, what was called, which children ran. */
const OWN = new Set(['lock', 'calls.jsonl', 'subagents'])

/** Where a session keeps its notebook. */
export const stateFolder = (cwd: string, session: string): string => join(cwd, FOLDER, session)

/** Whether a session has kept anything yet. Answered at once, as the guest starts only after that. */
export const hasState = (folder: string): boolean => existsSync(folder)

/** Gives a forked session a copy of its parent's names; it appears whole or not at all. */
export async function copyState(from: string, to: string): Promise<void> {
  const staging = `${to}.copy-${process.pid}`
  try {
    await cp(from, staging, { recursive: true, filter: source => !OWN.has(source.slice(from.length + 1)) && !source.includes('.corrupt-') })
    await rename(staging, to)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}
