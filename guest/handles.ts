import { currentCell } from './context.ts'
import { keepMethods } from './keep-methods.ts'
import { toJsonText } from './describe/json.ts'
import type { HandleRef, Json, Thrown } from './protocol.ts'

const { stringify } = JSON
const { apply } = Reflect
const { get, set, delete: remove } = Map.prototype
const PromiseCtor = Promise

/** Characters of JSON one call's arguments may have. */
const ARGUMENTS_CAP = 32 << 20

interface Waiting { resolve(value: Json): void; reject(error: Error): void }

/** Calls from cells to the host, and the engine-owned names they go through. */
export class Bridge {
  private readonly send: (call: string) => void
  private readonly waiting = new Map<number, Waiting>()
  private calls = 0

  /** `send` takes a frame `call` as JSON text. */
  constructor(send: (call: string) => void) { this.send = send }

  /** Rejects by name when the arguments cannot cross, when the host refuses, or when no cell can be named as the caller. */
  call(handle: string, name: string, args: readonly unknown[]): Promise<Json> {
    return new PromiseCtor((resolve, reject) => {
      const cell = currentCell()
      if (cell === undefined) throw callError(`${handle}.${name}: called from outside any cell; call it from a cell`, 'CALL_WITHOUT_CELL')
      if (cell.state === 'aborted') throw callError(`${handle}.${name}: cell ${cell.number} was cancelled, so its calls are refused`, 'CELL_CANCELLED')
      const encoded = toJsonText(withoutTrailingUndefined(args), ARGUMENTS_CAP, true)
      if ('problem' in encoded) throw callError(`${handle}.${name}: argument ${encoded.problem}, which cannot cross to the host; pass plain data`, 'ARGUMENT_NOT_JSON')
      const call = ++this.calls
      apply(set, this.waiting, [call, { resolve, reject }])
      this.send(`{"type":"call","call":${call},"cell":"${cell.number}","handle":${stringify(handle)},"name":${stringify(name)},"args":${encoded.text}}`)
    })
  }

  answer(call: number, settle: (waiting: Waiting) => void): void {
    const waiting = apply(get, this.waiting, [call]) as Waiting | undefined
    if (waiting === undefined) return
    apply(remove, this.waiting, [call])
    settle(waiting)
  }
}

function withoutTrailingUndefined(args: readonly unknown[]): readonly unknown[] {
  let end = args.length
  while (end > 0 && args[end - 1] === undefined) end--
  const kept: unknown[] = []
  for (let i = 0; i < end; i++) kept.push(args[i] === undefined ? null : args[i])
  return kept
}

function callError(message: string, code: string): Error {
  return Object.assign(new TypeError(message), { code })
}

/** An error of the host as the cell sees it. */
export function refusal(error: Thrown): Error {
  const made = new Error(error.message)
  Object.defineProperty(made, 'name', { value: error.name, configurable: true, writable: true })
  if (error.code !== undefined) Object.assign(made, { code: error.code })
  return made
}

type Methods = Record<string, unknown>

/** The handles of a preset: names whose properties run in the guest, or are calls to the host. */
export class Handles {
  private readonly bridge: Bridge
  private readonly own: (name: string, value: unknown) => void
  private readonly guestMethods = keepMethods(new Map<string, Methods>())

  constructor(bridge: Bridge, own: (name: string, value: unknown) => void) {
    this.bridge = bridge
    this.own = own
  }

  /** Methods that the host runs; any other property is forwarded, too, so that the host can suggest the nearest name. */
  fromHost(refs: readonly HandleRef[]): void {
    for (const { name, methods } of refs) {
      const target = this.target(name)
      for (const method of methods) if (!(method in target)) target[method] = this.forward(name, method)
    }
  }

  /** Methods that the guest runs; they win over forwarding. */
  add(name: string, methods: Readonly<Methods>): void { Object.assign(this.target(name), methods) }

  has(name: string, method: string): boolean { return method in (this.guestMethods.get(name) ?? {}) }

  private target(name: string): Methods {
    const known = this.guestMethods.get(name)
    if (known !== undefined) return known
    const target = Object.create(null) as Methods
    this.guestMethods.set(name, target)
    this.own(name, this.proxy(name, target))
    return target
  }

  private forward(name: string, method: string): (...args: unknown[]) => Promise<Json> {
    return (...args) => this.bridge.call(name, method, args)
  }

  private proxy(name: string, target: Methods): unknown {
    const refuse = (): never => { throw new TypeError(`'${name}' belongs to the notebook and cannot be changed`) }
    return new Proxy(target, {
      // `then` and symbols answer undefined, or `await rlm` would call the host.
      get: (methods, key) => typeof key !== 'string' || key === 'then' ? undefined : methods[key] ?? (key in Object.prototype ? undefined : this.forward(name, key)),
      set: refuse, defineProperty: refuse, deleteProperty: refuse, setPrototypeOf: refuse,
    })
  }
}
