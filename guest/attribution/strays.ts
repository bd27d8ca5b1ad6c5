import { type CellContext, currentCell } from '../context.ts'

export interface StrayParts {
  /** A thrown value as text for people; must not throw. */
  describe(thrown: unknown): string
  /** The cell a thrown value's stack points to, for runtimes that lose the context of a rejection. */
  cellOf?(thrown: unknown): CellContext | undefined
  /** Counts characters that no cell can be named for. */
  unattributed(chars: number): void
}

type Handler = (...args: never[]) => void
interface Listening { on(name: string, handler: Handler): unknown; listeners(name: string): unknown[] }

const { apply } = Reflect
const { on, listeners } = process as unknown as Listening
const { includes } = Array.prototype
/** The last throw that is on its way to the runtime's handler, and whose it is. */
let thrown: { readonly error: unknown; readonly cell: CellContext } | undefined

/** Says whose a throw is that the runtime is about to report without its context. */
export function blameOn(cell: CellContext, error: unknown): void { thrown = { error, cell } }

/**
 * Keeps the guest alive on stray throws and rejections; each is told on the stderr of its own cell. Answers a task
 * that puts the handlers back where a cell removed them.
 */
export function catchStrays(parts: StrayParts): () => void {
  const report = (intro: string, error: unknown): void => {
    const cell = ownerOf(parts, error)
    const text = `${intro} ${parts.describe(error)}\n`
    if (cell === undefined) parts.unattributed(text.length)
    else cell.print('stderr', text)
  }
  const handlers: Readonly<Record<string, Handler>> = {
    uncaughtException: (error: unknown) => report('Uncaught', error),
    unhandledRejection: (reason: unknown) => report('Uncaught (in promise)', reason),
  }
  const assert = (): void => {
    for (const name of ['uncaughtException', 'unhandledRejection']) {
      const handler = handlers[name] as Handler
      if (!apply(includes, apply(listeners, process, [name]), [handler])) apply(on, process, [name, handler])
    }
  }
  assert()
  return assert
}

function ownerOf(parts: StrayParts, error: unknown): CellContext | undefined {
  const pending = thrown
  thrown = undefined
  const current = currentCell()
  if (current !== undefined) return current
  return pending !== undefined && Object.is(pending.error, error) ? pending.cell : parts.cellOf?.(error)
}
