import { custom } from './inspector.ts'

const { defineProperty, getOwnPropertySymbols } = Object
const { deleteProperty } = Reflect

type Shape = (value: never) => Readonly<Record<string, unknown>>
type Inspect = (value: unknown, options: object) => string

const RESPONSE = ['status', 'statusText', 'headers', 'body', 'bodyUsed', 'ok', 'redirected', 'type', 'url'] as const
const REQUEST = ['method', 'url', 'headers', 'destination', 'referrer', 'referrerPolicy', 'mode', 'credentials', 'cache', 'redirect', 'integrity', 'keepalive', 'signal'] as const

const pick = (names: readonly string[]): Shape => (value: Readonly<Record<string, unknown>>) => Object.fromEntries(names.map(name => [name, value[name]]))

/** What node shows of its web classes; bun's own are opaque to the inspector, and the same cell must read the same on both. */
const SHAPES: Readonly<Record<string, Shape>> = {
  Headers: (value: Headers) => Object.fromEntries(value),
  Response: pick(RESPONSE),
  Request: pick(REQUEST),
  Blob: pick(['size', 'type']),
  File: pick(['size', 'type', 'name', 'lastModified']),
  AbortController: pick(['signal']),
  AbortSignal: pick(['aborted']),
  Event: pick(['type', 'defaultPrevented', 'cancelable', 'timeStamp']),
  ReadableStream: (value: ReadableStream) => ({ locked: value.locked }),
  FormData: (value: FormData) => Object.fromEntries(value as unknown as Iterable<[string, unknown]>),
}

/** Gives values whose shape the runtimes show differently one shape. Once, before the first cell. */
export function alikeShapes(): void {
  if (process.versions.bun === undefined) { hideAsyncMarks(); return }
  for (const [name, shape] of Object.entries(SHAPES)) {
    const prototype = (globalThis as unknown as Record<string, { prototype?: object } | undefined>)[name]?.prototype
    if (prototype === undefined || custom in prototype) continue
    const inspector = function (this: never, depth: number, options: object, inspect: Inspect): string {
      if (depth < 0) return `[${name}]`
      return `${name} ${inspect({ ...shape(this) }, { ...options, depth })}`
    }
    defineProperty(prototype, custom, { value: inspector, writable: true, configurable: true })
  }
}

/** Symbols that node's async hooks leave on promises; newer versions leave none. */
const MARKS = /^Symbol\((async_id_symbol|trigger_async_id_symbol|kResourceStore)\)$/

/** Keeps the engine's bookkeeping out of what is shown of a promise. */
function hideAsyncMarks(): void {
  const inspector = function (this: object, _depth: number, options: object, inspect: Inspect): string {
    for (const key of getOwnPropertySymbols(this)) if (MARKS.test(String(key))) defineProperty(this, key, { enumerable: false })
    // An own `undefined` lets the inspector go on as if there were none; it goes again at once.
    defineProperty(this, custom, { value: undefined, configurable: true })
    try {
      return inspect(this, options)
    } finally {
      deleteProperty(this, custom)
    }
  }
  defineProperty(Promise.prototype as object, custom, { value: inspector, writable: true, configurable: true })
}
