import type { Guest } from '../../guest/guest.ts'
import { isPlain } from './guest/plain.ts'
import type { Compiler } from './guest/compiler.ts'

const { setTimeout, clearTimeout } = globalThis

/** Turns a cell's TypeScript into JavaScript. The compiler is loaded by the first cell that needs it, or in idle time. */
export default function tsStrip({ prepare, hooks }: Pick<Guest, 'prepare' | 'hooks'>, { idleMs }: { idleMs: number }): void {
  let compiler: Compiler | undefined
  let loading: Promise<void> | undefined
  const load = () => loading ??= import('./guest/compiler.ts').then(module => { compiler = module })
  let idle: ReturnType<typeof setTimeout> | undefined
  const rest = () => {
    if (idle !== undefined) clearTimeout(idle)
    if (idleMs === 0 || loading !== undefined) return
    idle = setTimeout(() => void load(), idleMs)
    idle.unref()
  }
  rest()
  prepare(source => {
    rest()
    return compiler || isPlain(source) ? undefined : load()
  })
  hooks.beforeTransform.tap('ts-strip', source => isPlain(source) || compiler === undefined ? source : compiler.toJavaScript(source))
}
