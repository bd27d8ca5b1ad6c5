import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { badCall } from './errors.ts'
import { exactJson } from './exact-json.ts'
import { makeFolder, ownPid, removeFolder, writeBytes } from './kept.ts'

/** A value written to a file for a child. */
export type InputFile = { readonly name: string; readonly path: string; readonly bytes: number; readonly kind: string }

/** Files in a folder of their own, until the host has laid them beside the child. */
export interface Staged { readonly files: readonly InputFile[]; remove(): Promise<void> }

/** Writes values to files, for the host to lay beside the child: text and bytes as they are, anything else as JSON. */
export async function stageInputs(inputs: unknown): Promise<Staged> {
  if (typeof inputs !== 'object' || inputs === null || Array.isArray(inputs)) throw badCall('inputs is an object of names and values: { inputs: { report: text } }')
  const encoded = Object.entries(inputs).map(([name, value]) => ({ name, ...encode(name, value) }))
  const folder = await makeFolder(join(tmpdir(), `pi-rlm-inputs-${ownPid}-`))
  const remove = (): Promise<void> => removeFolder(folder, { recursive: true, force: true })
  const files: InputFile[] = []
  try {
    for (const [index, { name, content, kind, extension }] of encoded.entries()) {
      const path = join(folder, `${index + 1}-${name.replace(/[^\w.-]+/g, '_').slice(0, 60)}.${extension}`)
      await writeBytes(path, content, { mode: 0o600 })
      files.push({ name, path, bytes: Buffer.byteLength(content), kind })
    }
  } catch (cause) {
    await remove()
    throw cause
  }
  return { files, remove }
}

function encode(name: string, value: unknown): { content: string | Uint8Array; kind: string; extension: string } {
  if (typeof value === 'string') return { content: value, kind: 'text', extension: 'txt' }
  if (ArrayBuffer.isView(value)) return { content: new Uint8Array(value.buffer, value.byteOffset, value.byteLength), kind: 'bytes', extension: 'bin' }
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return { content: new Uint8Array(value), kind: 'bytes', extension: 'bin' }
  try { return { content: exactJson(value), kind: 'JSON', extension: 'json' } } catch (cause) {
    throw badCall(`input '${name}' cannot be written as JSON: ${(cause as Error).message}`)
  }
}
