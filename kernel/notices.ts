/** Lines for the next result, each once. */
export class Notices {
  private lines: string[] = []

  add(text: string): void {
    if (!this.lines.includes(text)) this.lines.push(text)
  }

  take(): readonly string[] {
    const { lines } = this
    this.lines = []
    return lines
  }
}
