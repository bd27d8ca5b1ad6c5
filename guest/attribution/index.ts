import { wrapCallbacks } from './callbacks.ts'
import { wrapEmitters } from './emitters.ts'
import { wrapEventTargets } from './event-targets.ts'
import { wrapRejections } from './rejections.ts'
import { selfTest } from './self-test.ts'
import { wrapWebWorkers } from './web-workers.ts'
import { type StrayParts, catchStrays } from './strays.ts'

/** What the guest asks of attribution after the start. */
export interface Attribution {
  /** Before each cell: puts back the handlers of stray errors where a cell removed them. */
  assert(): void
  /** In idle time: a line that names a runtime whose async context is broken. */
  selfTest(runtime: string): Promise<string | undefined>
}

/** Keeps the cell of a piece of code where the runtimes lose it. Once, before the first cell. */
export function installAttribution(parts: StrayParts & { readonly tag: string }): Attribution {
  const assert = catchStrays(parts)
  wrapEmitters()
  wrapEventTargets()
  wrapCallbacks()
  if ('Bun' in globalThis) {
    wrapRejections()
    wrapWebWorkers(parts.tag)
  }
  return { assert, selfTest }
}
export type { StrayParts }
