import { badPreset } from './errors.ts'
import type { Preset } from './plugin.ts'

/**
 * Whether something is a preset; throws `BAD_PRESET` with what it lacks. A preset is code of a user's own, written without a
 * type checker as often as with one: a factory that was not called is a function, and functions have a name and an `apply`, too.
 */
export function checkPreset(preset: unknown): asserts preset is Preset {
  const { name, runtime, plugins } = Object(preset) as { readonly name?: unknown; readonly runtime?: unknown; readonly plugins?: unknown }
  if (typeof preset !== 'object' || typeof name !== 'string' || !isList(plugins)) throw badPreset('a preset must have a name, a runtime and a list of plugins; see definePreset')
  if (typeof runtime === 'function') throw badPreset(`the runtime of preset '${name}' is a function: call it, as in runtime: node()`)
  if (typeof (runtime as { plan?: unknown } | null | undefined)?.plan !== 'function') throw badPreset(`the runtime of preset '${name}' is none: take node() or bun() of pi-rlm/plugins/runtimes, or write one with a name, plan and resolve`)
  checkPlugins(name, plugins)
}

/** Whether the entries of a list are plugins, each of them once. */
export function checkPlugins(preset: string, plugins: readonly unknown[]): void {
  const seen = new Set<string>()
  for (const [i, plugin] of plugins.entries()) {
    const { name, apply } = Object(plugin) as { readonly name?: unknown; readonly apply?: unknown }
    if (typeof plugin === 'function') throw badPreset(`plugin ${i + 1} of preset '${preset}' is a function${plugin.name === '' ? '' : ` (${plugin.name})`}: call it, as in plugins: [outputCaps()]`)
    if (typeof name !== 'string' || typeof apply !== 'function') throw badPreset(`plugin ${i + 1} of preset '${preset}' is no plugin; make one with definePlugin and call what that gives`)
    if (seen.has(name)) throw badPreset(`preset '${preset}' lists plugin '${name}' twice; an engine has each plugin once`)
    seen.add(name)
  }
}

// A type guard of its own: Array.isArray would turn the list's elements into `any`.
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
