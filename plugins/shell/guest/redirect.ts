import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { randomHex } from '../../../guest/hash.ts'
import { isData } from './values.ts'

/** Files that stand for data in a command's redirections. */
export interface DataFiles {
  /** The file for a value that follows `piece`; undefined when it is no data. A `Bun.file` is its own file. Throws where data cannot stand. */
  fileFor(value: unknown, piece: string, number: number): string | undefined
  /** Writes what the command is to read. */
  open(): Promise<void>
  /** Copies what the command wrote into the given buffers, and removes the files. */
  close(): Promise<void>
}

const READS = /(^|[^<])<\s*$/
const WRITES = />\s*$/

export function dataFiles(): DataFiles {
  const inputs: { readonly path: string; readonly data: unknown }[] = []
  const outputs: { readonly path: string; readonly target: Uint8Array }[] = []
  const path = (): string => `${tmpdir()}/rlm-${process.pid}-${randomHex(8)}`
  return {
    fileFor(value, piece, number) {
      if (!isData(value)) return undefined
      const { name } = value as { name?: unknown }
      if (value instanceof Blob && typeof name === 'string' && name !== '') return name
      const file = path()
      if (READS.test(piece)) inputs.push({ path: file, data: value })
      else if (WRITES.test(piece) && isWritable(value)) outputs.push({ path: file, target: bytesOf(value) })
      else throw new TypeError(`interpolation ${number} of the command is data: it can only follow < to be read${isWritable(value) ? ' or > to be filled' : ''}`)
      return file
    },
    async open() {
      for (const { path, data } of inputs) await writeFile(path, await contents(data), { mode: 0o600 })
      for (const { path } of outputs) await writeFile(path, '', { mode: 0o600 })
    },
    async close() {
      for (const { path, target } of outputs) {
        const written = await readFile(path).catch(() => new Uint8Array())
        target.set(written.subarray(0, target.length))
      }
      for (const { path } of [...inputs, ...outputs]) await rm(path, { force: true })
    },
  }
}

const isWritable = (value: unknown): value is ArrayBufferView | ArrayBuffer => ArrayBuffer.isView(value) || value instanceof ArrayBuffer

const bytesOf = (value: ArrayBufferView | ArrayBuffer): Uint8Array =>
  ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value)

async function contents(data: unknown): Promise<Uint8Array> {
  if (isWritable(data)) return bytesOf(data)
  return new Uint8Array(await new Response(data instanceof Response ? data.body : data as ConstructorParameters<typeof Response>[0]).arrayBuffer())
}
