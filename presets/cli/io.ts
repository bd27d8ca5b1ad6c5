/** What a command may touch of its process. */
export interface Io {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** The streams of this process; stdin is opened when it is first asked for. */
export const processIo = (): Io => ({
  get stdin() { return process.stdin },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
})

/** Writes and waits until the stream took it, so that a slow reader slows the writer; a reader that left is no error here. */
export function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise(resolve => {
    if (!stream.writable) { resolve(); return }
    stream.write(text, () => { resolve() })
  })
}
