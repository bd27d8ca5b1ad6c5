import type { HandleRef, HalfRef } from '../guest/protocol.ts'
import { reasonOf } from '../guest/reason.ts'
import { badOptions, RlmError } from './errors.ts'
import { createHostHooks, type HostHooks } from './hooks.ts'
import { MethodTable } from './methods.ts'
import type { ChildAgent, Host, Plugin, Preset } from './plugin.ts'
import { checkPlugins, checkPreset } from './preset-check.ts'

export interface Assembly {
  readonly hooks: HostHooks
  readonly methods: MethodTable
  readonly halves: readonly HalfRef[]
  handles(): readonly HandleRef[]
}

/** The plugins of an engine in their order, with overridden options checked by each plugin's own schema. */
export function listPlugins(preset: Preset, more: readonly Plugin[], options: Readonly<Record<string, unknown>>): readonly Plugin[] {
  checkPreset(preset)
  const plugins = [...preset.plugins, ...more]
  checkPlugins(preset.name, plugins)
  const names = plugins.map(plugin => plugin.name)
  const stranger = Object.keys(options).find(name => !names.includes(name))
  if (stranger !== undefined) throw badOptions(stranger, `no such plugin in preset '${preset.name}'; it has ${names.join(', ')}`)
  return plugins.map(plugin => options[plugin.name] === undefined ? plugin : plugin.with(options[plugin.name]))
}

/** Applies the host halves in order. `services` is what a host half is given besides hooks and tables. */
export function assemble(plugins: readonly Plugin[], services: Omit<Host, 'hooks' | 'method' | 'methods' | 'childAgent' | 'agent'>): Assembly {
  const hooks = createHostHooks()
  const methods = new MethodTable()
  let agent: ChildAgent | undefined
  const host: Host = {
    ...services, hooks,
    method: method => { methods.add(method) },
    methods: () => methods.all(),
    childAgent: given => {
      if (agent !== undefined) throw new RlmError('AGENT_TAKEN', 'AgentTakenError', `child agents '${agent.name}' and '${given.name}' are both listed; take one out of the preset`)
      agent = given
    },
    agent: () => agent,
  }
  for (const plugin of plugins) {
    const answer: unknown = plugin.apply(host)
    // Nobody waits for an asynchronous half, but its failure must not end the host.
    if (answer instanceof Promise) answer.catch((error: unknown) => { services.notice(`plugin '${plugin.name}' failed while it was set up: ${reasonOf(error)}`) })
  }
  return { hooks, methods, halves: plugins.flatMap(plugin => plugin.guest ?? []), handles: () => methods.handles() }
}
