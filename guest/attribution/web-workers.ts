import { dirname, join } from 'node:path'
import { type CellContext, currentCell } from '../context.ts'
import { randomHex } from '../hash.ts'
import { CELL_MARK, type Channel, WORKER_OUTPUT } from '../protocol.ts'
import { wrapConstructor } from './callbacks.ts'

/** What a web worker prints, on its way to its cell. */
export interface WorkerOutput { readonly channel: Channel; readonly text: string | Uint8Array }

interface Options { readonly env?: Record<string, string | undefined>; readonly preload?: string | readonly string[] }
interface Port { onmessage: ((event: { readonly data: WorkerOutput }) => void) | null; close(): void; unref?(): void }

/** Beside the guest's entry module; this module may stand elsewhere, in a bundle. */
const preload = join(dirname(process.argv[1] ?? ''), 'attribution/worker-console.js')

/** The console of a web worker, which bun writes past the guest, is printed on the cell that made the worker. */
export function wrapWebWorkers(tag: string): void {
  const NativeChannel = BroadcastChannel as unknown as new (name: string) => Port
  const { addEventListener } = EventTarget.prototype
  wrapConstructor('Worker', ([url, given], make) => {
    const cell = currentCell()
    if (cell === undefined) return make([url, given])
    const options = (given ?? {}) as Options
    const preloads = [preload, ...typeof options.preload === 'string' ? [options.preload] : options.preload ?? []]
    const name = `rlm-worker-${randomHex(16)}`
    const port = listen(new NativeChannel(name), cell)
    const worker = make([url, { ...options, preload: preloads, env: { ...options.env ?? process.env, [WORKER_OUTPUT]: name, [CELL_MARK]: `${tag}:${cell.number}` } }])
    Reflect.apply(addEventListener, worker, ['close', () => { setTimeout(() => port.close(), CLOSE_DELAY_MS) }])
    return worker
  })
}

/** What a worker said last may still be on its way when it is gone. */
const CLOSE_DELAY_MS = 1_000

function listen(port: Port, cell: CellContext): Port {
  port.onmessage = ({ data }) => cell.print(data.channel, data.text)
  port.unref?.()
  return port
}
