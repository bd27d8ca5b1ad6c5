/** Where in a command a value stands: that decides how it is written. */
export type Place = 'plain' | 'single' | 'double'

const SAFE = /^[\w@%+=:,./-]+$/

/** A text so that the shell reads exactly it. */
export function quoted(text: string, place: Place): string {
  switch (place) {
    case 'plain': return SAFE.test(text) ? text : `'${text.replaceAll('\'', '\'\\\'\'')}'`
    case 'single': return text.replaceAll('\'', '\'\\\'\'')
    case 'double': return text.replace(/[\\"$`]/g, '\\$&')
  }
}

/** Follows a command's literal pieces and knows in which quotes the next value stands. */
export class Places {
  /** The innermost place last; `$(` opens a plain one inside double quotes. */
  private readonly open: Place[] = ['plain']

  get place(): Place { return this.open[this.open.length - 1] ?? 'plain' }

  /** `plain` is told the position of each character that stands in no quotes. */
  read(piece: string, plain?: (at: number) => void): void {
    for (let at = 0; at < piece.length; at++) {
      if (this.place === 'plain') plain?.(at)
      at = this.step(piece, at)
    }
  }

  /** Reads one character; answers the position of the last one it used up. */
  private step(piece: string, at: number): number {
    const char = piece[at]
    switch (this.place) {
      case 'single':
        if (char === '\'') this.open.pop()
        return at
      case 'double':
        if (char === '\\') return at + 1
        if (char === '"') this.open.pop()
        else if (char === '$' && piece[at + 1] === '(') return this.enter('plain', at + 1)
        return at
      case 'plain':
        if (char === '\\') return at + 1
        if (char === '#' && /(^|[\s;&|(])$/.test(piece.slice(0, at))) return endOfLine(piece, at)
        if (char === '\'') return this.enter('single', at)
        if (char === '"') return this.enter('double', at)
        if (char === '(') return this.enter('plain', at)
        if (char === ')' && this.open.length > 1) this.open.pop()
        return at
    }
  }

  private enter(place: Place, at: number): number {
    this.open.push(place)
    return at
  }
}

function endOfLine(piece: string, at: number): number {
  const end = piece.indexOf('\n', at)
  return end < 0 ? piece.length : end
}

/** `>&2` written as `1>&2`, which alone bun's shell reads. */
export function withDescriptors(script: string): string {
  const found: number[] = []
  new Places().read(script, at => { if (/^>&[12]$/.test(script.slice(at, at + 3)) && !/[\d&>]$/.test(script.slice(0, at))) found.push(at) })
  return found.reduceRight((text, at) => `${text.slice(0, at)} 1${text.slice(at)}`, script)
}
