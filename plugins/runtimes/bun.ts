import type { GuestRuntime } from '../../kernel/plugin.ts'
import { compiledHalf, bunEntry } from './dist.ts'
import { findBun } from './find-bun.ts'

export interface BunRuntimeOptions {
  /** Path of the bun program; default: see `findBun`. */
  readonly path?: string
}

/**
 * In a user's folder bun would run the preloads of bunfig.toml before the guest, load `.env`, and download missing
 * imports; and it would outlive a killed host.
 */
const FLAGS = ['--no-orphans', '--no-install', '--no-env-file', '--config=/dev/null']

/** A guest on bun. */
export const bun = (options: BunRuntimeOptions = {}): GuestRuntime => ({
  name: 'bun',
  plan: ({ cwd, env }) => ({ kind: 'guest', cwd, env, command: findBun(options.path, env), args: [...FLAGS, bunEntry], stdio: ['ignore', 'pipe', 'pipe', 'pipe'] }),
  resolve: compiledHalf,
  refuses: version => recentEnough(version) ? undefined : `The guest runs ${version}, which would outlive a killed host; bun 1.4 or newer is needed. Install it (npm install bun), or use the preset 'node'.`,
})

function recentEnough(version: string): boolean {
  const [, major = '0', minor = '0'] = /^bun (\d+)\.(\d+)/.exec(version) ?? []
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 4)
}
