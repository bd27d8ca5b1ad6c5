import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { badCall } from './errors.ts'
import { makeFolder, toJson, writeBytes } from './kept.ts'

/** A value written to a file for a child. */
export type InputFile = { readonly name: string; readonly path: string; readonly bytes: number; readonly kind: string }

/** Writes values to files, for the host to lay beside the child: text and bytes as they are, anything else as JSON. */
export async function writeInputs(inputs: unknown): Promise<InputFile[]> {
  if (typeof inputs !== 'object' || inputs === null || Array.isArray(inputs)) throw badCall('inputs is an object of names and values: { inputs: { report: text } }')
  const encoded = Object.entries(inputs).map(([name, value]) => ({ name, ...encode(name, value) }))
  if (encoded.length === 0) return []
  const folder = await makeFolder(join(tmpdir(), 'pi-rlm-inputs-'))
  const files: InputFile[] = []
  for (const [index, { name, content, kind, extension }] of encoded.entries()) {
    const path = join(folder, `${index + 1}-${name.replace(/[^\w.-]+/g, '_').slice(0, 60)}.${extension}`)
    await writeBytes(path, content, { mode: 0o600 })
    files.push({ name, path, bytes: Buffer.byteLength(content), kind })
  }
  return files
}

function encode(name: string, value: unknown): { content: string | Uint8Array; kind: string; extension: string } {
  if (typeof value === 'string') return { content: value, kind: 'text', extension: 'txt' }
  if (value instanceof Uint8Array) return { content: value, kind: 'bytes', extension: 'bin' }
  let content: unknown
  try { content = toJson(value) } catch (cause) { throw badCall(`input '${name}' cannot be written as JSON: ${(cause as Error).message}`) }
  if (typeof content !== 'string') throw badCall(`input '${name}' is ${typeof value === 'function' ? 'a function' : String(value)}, which JSON does not have`)
  return { content, kind: 'JSON', extension: 'json' }
}
