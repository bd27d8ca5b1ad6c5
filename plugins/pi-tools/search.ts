import { Type } from '@sinclair/typebox'
import type { HostMethod } from '../../kernel/plugin.ts'
import { signature } from '../../kernel/signature.ts'
import type { Tool } from './source.ts'

const params = Type.Object({ query: Type.Optional(Type.String({ description: 'words that name or description contain' })) }, { additionalProperties: false })

/** `rlm.tools({ query })`: the tools a cell can call, with their signatures; a prompt has no room for hundreds. */
export const searchMethod = (list: () => readonly Tool[] | Promise<readonly Tool[]>): HostMethod => ({
  handle: 'rlm',
  name: 'tools',
  description: 'The tools that can be called, with their signatures.',
  params,
  run: async args => matching(await list(), (args as { query?: string }).query ?? '').map(tool => ({ name: tool.name, signature: signature(`tools.${tool.name}`, tool.parameters), description: tool.description })),
})

/** Tools that have every word of the query in their name or description. */
export function matching(tools: readonly Tool[], query: string): readonly Tool[] {
  const words = query.toLowerCase().split(/\s+/).filter(word => word !== '')
  return tools.filter(tool => words.every(word => `${tool.name} ${tool.description}`.toLowerCase().includes(word)))
}
