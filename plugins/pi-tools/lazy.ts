import { Type } from '@sinclair/typebox'
import type { Host, HostMethod } from '../../kernel/plugin.ts'
import type { Json } from '../../guest/protocol.ts'
import { MethodTable } from '../../kernel/methods.ts'
import { BUILT_IN } from './factories.ts'
import { installedTools } from './installed.ts'
import type { Tool, ToolSource } from './source.ts'

const ANY = Type.Object({}, { additionalProperties: true })

/** Methods by the names of pi's tools that load pi at their first call: most notebooks outside pi never make one. */
export function lazyTools(host: Host, methodOf: (tool: Tool, source: ToolSource) => HostMethod): { readonly methods: readonly HostMethod[]; readonly load: () => Promise<ToolSource> } {
  let loading: Promise<ToolSource> | undefined
  const load = (): Promise<ToolSource> => loading ??= installedTools(host.cwd, host.env)
  const methods = BUILT_IN.map((name): HostMethod => ({
    handle: 'tools',
    name,
    params: ANY,
    async run(args, context) {
      const source = await load()
      const tool = source.list().find(each => each.name === name)
      if (tool === undefined) throw new TypeError(`this pi has no tool '${name}'`)
      const table = new MethodTable()
      table.add(methodOf(tool, source))
      const { method, argument } = table.resolve('tools', name, [args as Json])
      return method.run(argument, context)
    },
  }))
  return { methods, load }
}
