import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { randomHex } from '../hash.ts'
import type { Sink } from './sink.ts'

const { openSync, unlinkSync, readSync, closeSync, constants } = fs
const CHUNK = 65_536

/** A nameless file that takes the output of a child the guest waits for. */
export interface Spool { readonly fd: number; empty(sink: Sink): void }

/**
 * Opens a spool. A file and not a pipe: the wait ends with the child, whatever its own children still hold, and no
 * output has a limit.
 */
export function openSpool(): Spool {
  const fd = openNameless([tmpdir(), '/tmp', '/dev/shm', '.'])
  return { fd, empty: sink => empty(fd, sink) }
}

/** In the first of these folders that takes a file: a cell may have named one that is not there. */
function openNameless([folder, ...others]: readonly string[]): number {
  const path = `${folder}/rlm-${process.pid}-${randomHex(8)}`
  try {
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND, 0o600)
    unlinkSync(path)
    return fd
  } catch (error) {
    if (others.length === 0 || (error as { code?: string }).code === 'EMFILE') throw error
    return openNameless(others)
  }
}

function empty(fd: number, sink: Sink): void {
  const chunk = new Uint8Array(CHUNK)
  let at = 0
  for (let count = 0; (count = readSync(fd, chunk, 0, CHUNK, at)) > 0; at += count) sink.write(chunk.subarray(0, count))
  sink.end()
  closeSync(fd)
}
