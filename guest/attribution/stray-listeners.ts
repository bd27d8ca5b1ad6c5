import type { Listener } from './owner.ts'

type Tell = (error: unknown) => void

const { apply, defineProperty } = Reflect

/** Whether a listener of this event of `process` runs while the runtime handles a stray error: one that throws there ends the process. */
export function handlesStrays(event: string | symbol): boolean {
  return event === 'uncaughtException' || event === 'unhandledRejection' || event === 'uncaughtExceptionMonitor' || event === 'rejectionHandled'
}

/** The listener, whose own throw is told as a stray one of its cell and goes no further. */
export function guarded(listener: Listener, tell: Tell): Listener {
  return function (this: unknown, ...args: unknown[]): unknown {
    try { return apply(listener, this, args) as unknown } catch (error) { return tell(error) }
  }
}

/** The same for the one callback that node lets take the place of all listeners. */
export function guardCaptureCallback(around: (callback: Listener) => Listener): void {
  const holder = process as unknown as Record<'setUncaughtExceptionCaptureCallback', ((callback: unknown) => unknown) | undefined>
  const { setUncaughtExceptionCaptureCallback: native } = holder
  if (native === undefined) return
  const setUncaughtExceptionCaptureCallback = (callback: unknown): unknown => apply(native, process, [typeof callback === 'function' ? around(callback as Listener) : callback])
  defineProperty(holder, 'setUncaughtExceptionCaptureCallback', { value: setUncaughtExceptionCaptureCallback, writable: true, configurable: true, enumerable: true })
}
