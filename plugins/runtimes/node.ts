import type { GuestRuntime } from '../../kernel/plugin.ts'
import { compiledHalf, nodeEntry } from './dist.ts'

export interface NodeRuntimeOptions {
  /** Path of the node program; default: the one that runs the host, or `node` on PATH when the host is bun. */
  readonly path?: string
}

/** A guest on node. Needs nothing beyond the program itself. */
export const node = (options: NodeRuntimeOptions = {}): GuestRuntime => ({
  name: 'node',
  plan: ({ cwd, env }) => ({
    kind: 'guest', cwd, env,
    command: options.path ?? (process.versions.bun === undefined ? process.execPath : 'node'),
    args: ['--no-warnings', nodeEntry],
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  }),
  resolve: compiledHalf,
  refuses: version => Number(/^node (\d+)/.exec(version)?.[1] ?? 0) >= 20 ? undefined : `The guest runs ${version}; node 20 or newer is needed.`,
})
