import { type CellContext, currentCell } from '../context.ts'
import { describeStack } from '../cell/stack.ts'
import { ownedHere } from './owner.ts'
import { guardCaptureCallback, guarded } from './stray-listeners.ts'

export interface StrayParts {
  /** A thrown value as text for people; must not throw. */
  describe(thrown: unknown): string
  /** The cell of a number, while the guest still knows it. */
  cell(number: number): CellContext | undefined
  /** Counts characters that no cell can be named for. */
  unattributed(chars: number): void
}

type Handler = (...args: never[]) => void
interface Listening { on(name: string, handler: Handler): unknown; listeners(name: string): unknown[] }

const { apply, defineProperty } = Reflect
const { on, listeners } = process as unknown as Listening
const { includes } = Array.prototype
const { get: getIn, set: setIn } = WeakMap.prototype
/** Rejected promises and thrown objects whose cell is known, though the runtime may forget it. */
const owners = new WeakMap<object, CellContext>()
/** The last throw that is on its way to the runtime's handler, and whose it is; it need not be an object. */
let thrown: { readonly error: unknown; readonly cell: CellContext } | undefined

let told: (error: unknown) => void = () => {}

/** Tells a throw that went no further, as part of the cell that runs now. */
export const tellStray = (error: unknown): void => { told(error) }

/** Says whose a throw is that goes to the runtime's handler at once, without its context. */
export function blameOn(cell: CellContext, error: unknown): void { thrown = { error, cell } }

/** Says whose a rejected promise or its reason is, for runtimes that report rejections without their context. */
export function remember(cell: CellContext, value: unknown): void {
  if ((typeof value === 'object' && value !== null) || typeof value === 'function') apply(setIn, owners, [value, cell])
}

/**
 * Keeps the guest alive on stray throws and rejections; each is told on the stderr of its own cell. Answers a task
 * that puts the handlers back where a cell removed them.
 */
export function catchStrays(parts: StrayParts): () => void {
  const report = (intro: string, error: unknown, promise?: object): void => {
    const cell = ownerOf(parts, error, promise)
    const text = `${intro} ${parts.describe(error)}\n`
    if (cell === undefined) parts.unattributed(text.length)
    else cell.print('stderr', text)
  }
  const handlers: Readonly<Record<string, Handler>> = {
    uncaughtException: (error: unknown) => report('Uncaught', error),
    unhandledRejection: (reason: unknown, promise: object) => report('Uncaught (in promise)', reason, promise),
  }
  const assert = (): void => {
    for (const name of ['uncaughtException', 'unhandledRejection']) {
      const handler = handlers[name] as Handler
      if (!apply(includes, apply(listeners, process, [name]), [handler])) apply(on, process, [name, handler])
    }
  }
  // Whatever a cell makes of the emitters: one that throws while the runtime tells of a stray error ends the process.
  defineProperty(process, 'emit', { value: process.emit, writable: true, configurable: true })
  told = error => { report('Uncaught', error) }
  assert()
  keep(assert)
  guardCaptureCallback(callback => ownedHere(guarded(callback, tellStray)))
  return assert
}

/** A cell that clears the listeners of process keeps the guest's all the same. */
function keep(assert: () => void): void {
  for (const name of ['removeListener', 'off', 'removeAllListeners'] as const) {
    const native = process[name] as (...args: unknown[]) => unknown
    const wrapped = function (this: unknown, ...args: unknown[]): unknown {
      const answer = apply(native, this, args)
      assert()
      return answer
    }
    defineProperty(wrapped, 'name', { value: name })
    defineProperty(process, name, { value: wrapped, writable: true, configurable: true })
  }
}

function ownerOf(parts: StrayParts, error: unknown, promise: object | undefined): CellContext | undefined {
  const pending = thrown
  thrown = undefined
  const current = currentCell()
  if (current !== undefined) return current
  if (pending !== undefined && Object.is(pending.error, error)) return pending.cell
  return known(promise) ?? known(error) ?? byStack(parts, error)
}

const known = (value: unknown): CellContext | undefined => apply(getIn, owners, [value]) as CellContext | undefined

/** The outermost frame that is a cell's: the code that started what failed. */
function byStack(parts: StrayParts, error: unknown): CellContext | undefined {
  const frames = describeStack(error)
  const number = /cell (\d+):\d+:\d+\)?$/.exec(frames[frames.length - 1] ?? '')?.[1]
  return number === undefined ? undefined : parts.cell(Number(number))
}
