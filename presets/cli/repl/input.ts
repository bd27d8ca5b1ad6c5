import type { Interface } from 'node:readline'

/** Lines of a readline interface, one by one; lines typed ahead wait. */
export class Input {
  private readonly lines: string[] = []
  private closed = false
  private wake: () => void = () => {}

  constructor(readline: Interface) {
    readline.on('line', line => { this.lines.push(line); this.wake() })
    readline.on('close', () => { this.closed = true; this.wake() })
  }

  /** The next line; undefined when the input has ended. */
  async next(): Promise<string | undefined> {
    while (this.lines.length === 0 && !this.closed) await new Promise<void>(resolve => { this.wake = resolve })
    return this.lines.shift()
  }

  /** The next line that is typed from now on, which lines typed ahead are not: they keep waiting. */
  async fresh(): Promise<string | undefined> {
    const ahead = this.lines.splice(0)
    const line = await this.next()
    this.lines.unshift(...ahead)
    return line
  }
}
