import type { Sink } from './sink.ts'

/** A stream being read into a sink. */
export interface Pump {
  /** Resolves when the stream ended, or nothing has come for a while. */
  settled(): Promise<void>
}

const { apply } = Reflect
const { getReader } = ReadableStream.prototype
const { read } = ReadableStreamDefaultReader.prototype
const { setTimeout, Promise: NativePromise } = globalThis
/** One look at a quiet pipe; two in a row mean that it is empty, though a grandchild may hold it open. */
const LOOK_MS = 4
const QUIET_LOOKS = 2
const LONGEST_LOOKS = 125

/** Starts reading a web stream, without end but its own. */
export function pump(stream: ReadableStream<Uint8Array>, sink: Sink): Pump {
  const reader = apply(getReader, stream, []) as ReadableStreamDefaultReader<Uint8Array>
  let reads = 0
  let ended = false
  const run = async (): Promise<void> => {
    try {
      for (;;) {
        const { done, value } = await (apply(read, reader, []) as ReturnType<typeof reader.read>)
        if (done) break
        reads++
        sink.write(value)
      }
    } catch {
      // The pipe broke: what came before is all there is.
    }
    ended = true
    sink.end()
  }
  void run()
  return {
    async settled() {
      for (let looks = 0, quiet = 0; !ended && quiet < QUIET_LOOKS && looks < LONGEST_LOOKS; looks++) {
        const before = reads
        await new NativePromise<void>(resolve => { setTimeout(resolve, LOOK_MS) })
        quiet = reads === before ? quiet + 1 : 0
      }
    },
  }
}
