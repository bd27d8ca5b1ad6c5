import { field, reasonOf } from './reason.ts'

/** A plugin's tap threw; says whose, and in which hook. */
export class PluginError extends Error {
  override readonly name = 'PluginError'
  readonly code = 'PLUGIN_FAILED'
  readonly plugin: string
  readonly hook: string
  constructor(plugin: string, hook: string, cause: unknown) {
    super(`plugin '${plugin}' failed in ${hook}: ${reasonOf(cause)}`, { cause })
    this.plugin = plugin
    this.hook = hook
  }
}

interface Tap { name: string; type: string; stage?: number; before?: unknown; fn: (...args: unknown[]) => unknown }
// `any`: tapable's intercept is generic over each hook's own tuple; this wrapper forwards arguments untouched.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
interface Interceptable { intercept(interceptor: any): void }

/** Wraps every tap of every hook so that a failure names its plugin. A SyntaxError passes: it blames the cell. */
export function blame<Hooks extends Record<string, Interceptable>>(hooks: Hooks): Hooks {
  for (const [hook, target] of Object.entries(hooks)) target.intercept({ register: (tap: Tap) => wrapped(hook, tap) })
  return hooks
}

function wrapped(hook: string, tap: Tap): Tap {
  if (tap.stage !== undefined || tap.before !== undefined) {
    throw new PluginError(tap.name, hook, new Error('the order is the preset\'s list: a tap takes no stage and no before'))
  }
  const run = tap.fn
  const fail = (cause: unknown): never => {
    throw cause instanceof PluginError || field(cause, 'name') === 'SyntaxError' ? cause : new PluginError(tap.name, hook, cause)
  }
  const fn = tap.type === 'promise'
    ? async (...args: unknown[]) => { try { return await run(...args) } catch (cause) { return fail(cause) } }
    : (...args: unknown[]) => { try { return run(...args) } catch (cause) { return fail(cause) } }
  return { ...tap, fn }
}
