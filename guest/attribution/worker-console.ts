import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { WORKER_OUTPUT } from '../protocol.ts'
import type { WorkerOutput } from './web-workers.ts'

/**
 * Loaded by bun into a web worker before its own code: what the worker prints goes to the guest by a channel whose
 * name only this worker was told, and not past it to the guest's own output.
 */
const name = process.env[WORKER_OUTPUT]
if (name !== undefined) {
  Reflect.deleteProperty(process.env, WORKER_OUTPUT)
  const channel = new BroadcastChannel(name)
  ;(channel as { unref?: () => void }).unref?.()
  const send = (said: WorkerOutput): void => { channel.postMessage(said) }
  const streamTo = (to: WorkerOutput['channel']): Writable => new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _encoding, done) {
      send({ channel: to, text: chunk })
      done()
    },
  })
  const streams = { stdout: streamTo('stdout'), stderr: streamTo('stderr') }
  process.stdout.write = streams.stdout.write.bind(streams.stdout) as typeof process.stdout.write
  process.stderr.write = streams.stderr.write.bind(streams.stderr) as typeof process.stderr.write
  globalThis.console = new Console({ ...streams })
}
