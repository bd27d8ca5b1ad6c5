import type { Writable } from 'node:stream'

type Method = (this: object, options: object) => unknown

const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect
const { setImmediate } = globalThis

/**
 * Lets what `exec` and `execFile` start see the end of its stdin, unless the cell takes hold of `child.stdin` at once:
 * nobody else will ever write there, and a command that reads would wait for good. `spawn` stays as it is; its stdin is
 * often written to much later.
 */
export function wrapExecStdin(prototype: { spawn: Method }): void {
  const native = prototype.spawn
  prototype.spawn = function spawn(options) {
    const status = apply(native, this, [options])
    if (comesFromExec(options)) endUnlessTaken(this)
    return status
  }
}

/** `execFile` hands on every option, unset ones included; a cell's own call of `spawn` has only what it named. */
function comesFromExec(options: object): boolean {
  return 'gid' in options && options.gid === undefined && 'signal' in options && !('stdio' in options && options.stdio !== undefined)
}

function endUnlessTaken(child: object): void {
  // Node sets a property, bun has a getter on the prototype that makes the stream at the first use.
  const own = getOwnPropertyDescriptor(child, 'stdin')
  const inherited = getOwnPropertyDescriptor(Object.getPrototypeOf(child) as object, 'stdin')?.get
  const stdin = (): unknown => own === undefined ? inherited && apply(inherited, child, []) : own.value
  let taken = false
  defineProperty(child, 'stdin', {
    get() {
      taken = true
      return stdin()
    },
    set(value: unknown) { defineProperty(child, 'stdin', { value, writable: true, configurable: true, enumerable: true }) },
    configurable: true,
    enumerable: true,
  })
  setImmediate(() => {
    if (!taken) (stdin() as Writable | null | undefined)?.end()
  })
}
