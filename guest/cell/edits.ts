/** Numbers of one piece in the map: its place in the edited text, its place in the text before, and 1 when it was replaced as a whole. */
export const PIECE = 3

/** An edited text and its map: `PIECE` numbers for each piece, in order. Text that was put in belongs to no piece. */
export interface Edited { readonly code: string; readonly pieces: Int32Array }

interface Replacement { readonly start: number; readonly end: number; readonly text: string; readonly whole: boolean }

/**
 * Edits of a text by position; offsets are those of the text as it was. At one position, what is appended to the text on
 * its left comes before what is prepended to the text on its right. The map falls out while the pieces are joined.
 */
export class TextEdits {
  private readonly text: string
  private head = ''
  private readonly lefts = new Map<number, string>()
  private readonly rights = new Map<number, string>()
  private readonly replaced: Replacement[] = []
  private edited: Edited | undefined

  constructor(text: string) { this.text = text }

  /** Puts text at the very start, before what was put there. */
  prepend(text: string): void { this.head = text + this.head }

  /** Puts text behind what stands on the left of a position. */
  appendLeft(at: number, text: string): void { this.lefts.set(at, (this.lefts.get(at) ?? '') + text) }

  prependLeft(at: number, text: string): void { this.lefts.set(at, text + (this.lefts.get(at) ?? '')) }

  /** Puts text before what stands on the right of a position. */
  prependRight(at: number, text: string): void { this.rights.set(at, text + (this.rights.get(at) ?? '')) }

  appendRight(at: number, text: string): void { this.rights.set(at, (this.rights.get(at) ?? '') + text) }

  /** Replaces a piece. Text put at its borders stays. `whole`: any place inside is the start of the original. */
  update(start: number, end: number, text: string, whole = false): void { this.replaced.push({ start, end, text, whole }) }

  toString(): string { return this.apply().code }

  /** Joins the pieces, once: edits that come later are not seen. */
  apply(): Edited { return this.edited ??= this.join() }

  private join(): Edited {
    const { text, lefts, rights } = this
    const replaced = this.replaced.sort((a, b) => a.start - b.start)
    const stops = this.stops()
    const pieces = new Int32Array((stops.length + replaced.length + 1) * PIECE)
    let used = 0
    let code = this.head
    let at = 0
    let next = 0
    const piece = (source: number, whole: 0 | 1): void => {
      pieces[used++] = code.length
      pieces[used++] = source
      pieces[used++] = whole
    }
    const keep = (end: number): void => {
      if (end <= at) return
      piece(at, 0)
      code += text.slice(at, end)
      at = end
    }
    for (let i = 0; i < stops.length; i++) {
      const stop = stops[i] ?? 0
      // Inside of what is replaced: it goes with it.
      if (stop < at) continue
      keep(stop)
      const left = lefts.get(stop)
      if (left !== undefined) code += left
      const right = rights.get(stop)
      if (right !== undefined) code += right
      const change = replaced[next]
      if (change?.start !== stop) continue
      next++
      piece(stop, change.whole ? 1 : 0)
      code += change.text
      at = change.end
    }
    keep(text.length)
    return { code, pieces: pieces.slice(0, used) }
  }

  /** Every position where something happens, in order. */
  private stops(): Int32Array {
    const { lefts, rights, replaced } = this
    const stops = new Int32Array(lefts.size + rights.size + replaced.length)
    let count = 0
    for (const at of lefts.keys()) stops[count++] = at
    for (const at of rights.keys()) if (!lefts.has(at)) stops[count++] = at
    for (const { start } of replaced) if (!lefts.has(start) && !rights.has(start)) stops[count++] = start
    return stops.subarray(0, count).sort()
  }
}
