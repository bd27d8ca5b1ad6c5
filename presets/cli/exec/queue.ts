import type { Id, Request } from './request.ts'

/** What waits before reading pauses: lines, and characters of their code. */
const MOST_LINES = 10_000
const MOST_CHARS = 32 << 20

export interface Waiting { readonly request: Exclude<Request, { type: 'abort' }>; readonly controller: AbortController }

/** Lines that were read and are not answered yet, in the order they came. */
export class Queue {
  private readonly waiting: Waiting[] = []
  /** By the id as text: `1` and `"1"` would be one cell to a person. */
  private readonly open = new Map<string, Waiting>()
  private chars = 0
  private closed = false
  private wake: () => void = () => {}
  private room: () => void = () => {}

  isOpen(id: Id): boolean { return this.open.has(String(id)) }

  add(request: Waiting['request']): void {
    const entry = { request, controller: new AbortController() }
    this.open.set(String(request.id), entry)
    this.waiting.push(entry)
    this.chars += charsOf(entry)
    this.wake()
  }

  /** The cell of that id that has not been answered. */
  cell(id: Id): Waiting | undefined {
    const entry = this.open.get(String(id))
    return entry?.request.type === 'cell' ? entry : undefined
  }

  all(): Waiting[] { return [...this.open.values()] }

  /** The next line to answer; undefined once the input has ended and all is answered. */
  async next(): Promise<Waiting | undefined> {
    while (this.waiting.length === 0 && !this.closed) await new Promise<void>(resolve => { this.wake = resolve })
    const entry = this.waiting.shift()
    if (entry !== undefined) this.chars -= charsOf(entry)
    if (!this.full) this.room()
    return entry
  }

  /** Takes a cancelled cell out before its turn. */
  remove(entry: Waiting): boolean {
    const at = this.waiting.indexOf(entry)
    if (at < 0) return false
    this.waiting.splice(at, 1)
    this.chars -= charsOf(entry)
    if (!this.full) this.room()
    return true
  }

  answered({ request }: Waiting): void { this.open.delete(String(request.id)) }

  /** Resolves while there is room for more. */
  async roomForMore(): Promise<void> {
    while (this.full) await new Promise<void>(resolve => { this.room = resolve })
  }

  close(): void {
    this.closed = true
    this.wake()
  }

  private get full(): boolean { return this.waiting.length >= MOST_LINES || this.chars >= MOST_CHARS }
}

const charsOf = ({ request }: Waiting): number => request.type === 'cell' ? request.code.length : 0
