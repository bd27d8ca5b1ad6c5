import { gzipSync } from 'node:zlib'

const BLOCK = 512

/** Packs files as a registry serves them: a gzipped tar whose paths start with `package/`. What is undefined is left out. */
export function pack(files: Readonly<Record<string, string | undefined>>): Buffer {
  const parts: Buffer[] = []
  for (const [path, content] of Object.entries(files)) {
    if (content === undefined) continue
    const body = Buffer.from(content)
    parts.push(header(`package/${path}`, body.length), body, Buffer.alloc((BLOCK - body.length % BLOCK) % BLOCK))
  }
  parts.push(Buffer.alloc(2 * BLOCK))
  return gzipSync(Buffer.concat(parts))
}

function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  block.write(path, 0, 100)
  block.write('0000644\0', 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  block.write('00000000000\0', 136)
  block.write('        ', 148)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  block.write(`${block.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, '0')}\0 `, 148)
  return block
}
