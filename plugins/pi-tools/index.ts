import { Type } from '@sinclair/typebox'
import { type CallContext, definePlugin, type Host, type HostMethod, type Plugin } from '../../kernel/plugin.ts'
import { lazyTools } from './lazy.ts'
import { replyOf } from './reply.ts'
import { searchMethod } from './search.ts'
import type { Tool, ToolSource } from './source.ts'

export type { ToolFactories } from './factories.ts'
export type { Tool, ToolOutcome, ToolSource } from './source.ts'

const HANDLE = 'tools'
const options = Type.Object({
  /** Seconds a bridged bash command may take when the call names no limit; 0 for none. */
  bashTimeoutSeconds: Type.Integer({ minimum: 0, default: 600 }),
})
interface Options { readonly bashTimeoutSeconds: number }

/** `tools.read({ path })` and its like for cells, with the tools of an installed pi. */
export const piTools = definePlugin({
  name: 'pi-tools',
  options,
  host(host, given) {
    const { methods, load } = lazyTools(host, (tool, source) => methodOf(tool, source, given))
    for (const method of methods) host.method(method)
    host.method(searchMethod(async () => (await load()).list()))
  },
})

/** The same plugin over tools that a running pi hands in. */
export const piToolsFrom = (source: ToolSource, given: Partial<Options> = {}): Plugin => definePlugin({
  name: 'pi-tools',
  options,
  host(host, settings) {
    const known = new Set<string>()
    const mount = (): void => {
      for (const tool of source.list()) if (!known.has(tool.name)) mountTool(host, tool, source, settings, known)
    }
    mount()
    host.method(searchMethod(() => source.list()))
    // Tools may come later: an MCP server that was still connecting, an extension that registers one.
    host.hooks.onToolCall.tapPromise('pi-tools', call => {
      if (call.handle === HANDLE) mount()
      return Promise.resolve(undefined)
    })
  },
})(given)

function mountTool(host: Host, tool: Tool, source: ToolSource, given: Options, known: Set<string>): void {
  known.add(tool.name)
  host.method(methodOf(tool, source, given))
}

function methodOf(tool: Tool, source: ToolSource, given: Options): HostMethod {
  return {
    handle: HANDLE,
    name: tool.name,
    description: tool.description,
    params: tool.parameters,
    run: (args, context) => answer(source, tool.name, withLimit(tool.name, args as object, given), context),
  }
}

async function answer(source: ToolSource, name: string, args: object, context: CallContext) {
  const reply = replyOf(name, args, await source.call(name, args, { cell: context.cell, signal: context.signal }))
  for (const image of reply.images) context.attach(image)
  return reply.value
}

/** A command without an end would hold its cell for ever. */
const withLimit = (name: string, args: object, given: Options): object =>
  name === 'bash' && given.bashTimeoutSeconds > 0 && !('timeout' in args) ? { ...args, timeout: given.bashTimeoutSeconds } : args
