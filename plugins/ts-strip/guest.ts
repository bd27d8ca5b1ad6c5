import { createRequire } from 'node:module'
import type { Guest } from '../../guest/guest.ts'
import { whenIdle } from '../../guest/idle.ts'
import { loadTypedModules } from './guest/local-modules.ts'
import { isPlain } from './guest/plain.ts'
import type { Compiler } from './guest/compiler.ts'
import { compilerName } from './guest/compiler-name.ts'

const require = createRequire(import.meta.url)

/** Turns a cell's TypeScript into JavaScript. The compiler is loaded by the first cell that needs it, or in idle time. */
export default function tsStrip({ prepare, hooks, clean }: Pick<Guest, 'prepare' | 'hooks'> & Partial<Pick<Guest, 'clean'>>, { idleMs }: { idleMs: number }): void {
  let compiler: Compiler | undefined
  let loading: Promise<void> | undefined
  const load = () => loading ??= compile().then(module => { compiler = module }, (error: unknown) => {
    loading = undefined
    throw error
  })
  // The compiler's package runs a lot of code when it is loaded: at once, and with the globals it was written for.
  const compile = (): Promise<Compiler> => {
    const load = (): unknown => require(compilerName)
    if (clean === undefined) load()
    else clean(load)
    return import('./guest/compiler.ts')
  }
  let callOff = () => {}
  const rest = () => {
    callOff()
    if (idleMs > 0 && loading === undefined) callOff = whenIdle(idleMs, () => { load().catch(() => {}) })
  }
  rest()
  prepare(source => {
    rest()
    loadTypedModules(source)
    return compiler || isPlain(source) ? undefined : load()
  })
  hooks.beforeTransform.tap('ts-strip', source => isPlain(source) || compiler === undefined ? source : compiler.toJavaScript(source))
}
