import { readSync } from 'node:fs'

/** Reads what fd 3 has, at least a byte; waits for it. The process ends when the host is gone. */
export function readNow(into: Uint8Array, at: number, most: number): number {
  for (;;) {
    try {
      const got = readSync(3, into, at, most, null)
      if (got === 0) process.exit(0)
      return got
    } catch (error) {
      if ((error as { code?: string }).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}
