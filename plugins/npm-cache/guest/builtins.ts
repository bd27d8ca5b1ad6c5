import childProcess from 'node:child_process'
import fs from 'node:fs'
export { createHash, randomBytes } from '../../../guest/hash.ts'

/**
 * What the importer uses after the first cell, kept from before it: a cell may replace any global, and named imports
 * of builtins follow a patched module.
 */
export const { spawn } = childProcess
export const {
  closeSync, existsSync, lstatSync, openSync, readFileSync, readSync, readdirSync, readlinkSync, realpathSync, renameSync, writeFileSync, mkdirSync,
} = fs
export const { rm, mkdir, rename } = fs.promises
export const { parse, stringify } = JSON
const { AbortController } = globalThis
export const newController = (): AbortController => new AbortController()
export const now: () => number = Date.now
export const afterMs: typeof setTimeout = setTimeout
export const stopTimer: typeof clearTimeout = clearTimeout
export const afterTurn: typeof setImmediate = setImmediate

/** Resolves after some milliseconds, or at once when the signal fires. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> => new Promise(resolve => {
  if (signal?.aborted) { resolve(); return }
  const done = () => { stopTimer(timer); signal?.removeEventListener('abort', done); resolve() }
  const timer = afterMs(done, ms)
  signal?.addEventListener('abort', done)
})

const { statfsSync } = fs

/** Bytes that are free on a folder's disk. */
export function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch { return Infinity }
}
