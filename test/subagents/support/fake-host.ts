import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Json } from '../../../guest/protocol.ts'
import { createHostHooks } from '../../../kernel/hooks.ts'
import { endKept } from '../../../kernel/kept.ts'
import type { ChildAgent, Host, HostMethod } from '../../../kernel/plugin.ts'
import { type Family } from '../../../plugins/subagents/family.ts'
import { familyOf, subagents } from '../../../plugins/subagents/index.ts'

const CHILD = fileURLToPath(new URL('./scripted-child.mjs', import.meta.url))

/** The scripted child as an agent; parts of it can be replaced. */
export const scriptedAgent = (change: Partial<ChildAgent> = {}): ChildAgent => ({
  name: 'scripted',
  plan: request => ({ kind: 'child', command: process.execPath, args: [CHILD], env: { ...request.env }, cwd: request.cwd, stdio: ['pipe', 'pipe', 'pipe'] }),
  ...change,
})

/** The smallest agent there is: its answer is its prompt. */
export const catAgent: ChildAgent = scriptedAgent({ plan: ({ cwd, env }) => ({ kind: 'child', command: 'cat', args: [], env: { ...env }, cwd, stdio: ['pipe', 'pipe', 'pipe'] }) })

/** A task for the scripted child. */
export const op = (name: string, more: Record<string, unknown> = {}, body = ''): string => `#op ${JSON.stringify({ op: name, ...more })}\n${body}`

export interface Bench {
  readonly family: Family
  readonly host: Host
  readonly folder: string
  readonly kept: Map<string, unknown>
  readonly notices: string[]
  /** Calls a host method as a cell would. */
  call(name: string, args: unknown, signal?: AbortSignal): Promise<Json>
  /** The engine ends without a word, as when its guest dies. */
  killEngine(): void
  /** What the owner of the engines does at the end of the session. */
  disposeSession(): Promise<void>
  /** Disposes and removes everything. */
  [Symbol.asyncDispose](): Promise<void>
}

export interface BenchOptions {
  readonly options?: Record<string, unknown>
  readonly agent?: ChildAgent | null
  readonly env?: Record<string, string>
  readonly kept?: Map<string, unknown>
  /** A folder of another bench: the same session again. */
  readonly folder?: string
  readonly statePath?: string | null
  readonly cwd?: string
}

/** The plugin's host half over a host that has no engine. */
export function bench({ options = {}, agent = scriptedAgent(), env = {}, kept = new Map<string, unknown>(), folder, statePath, cwd }: BenchOptions = {}): Bench {
  const root = folder ?? mkdtempSync(join(tmpdir(), 'pi-rlm-kids-'))
  const methods: HostMethod[] = []
  const notices: string[] = []
  const end = new AbortController()
  const host: Host = {
    hooks: createHostHooks(), signal: end.signal, cwd: cwd ?? root, env: { PATH: process.env['PATH'] ?? '', ...env }, kept,
    statePath: statePath === undefined ? join(root, '.pi-rlm', 'session') : statePath,
    method: method => { methods.push(method) },
    methods: () => methods,
    childAgent: () => {}, agent: () => agent ?? undefined,
    save: () => Promise.reject(new Error('nothing is saved here')), names: () => Promise.resolve([]),
    notice: text => { notices.push(text) }, onDispose: () => {}, onTouched: () => {},
  }
  subagents(options).apply(host)
  const family = familyOf(kept)
  if (family === undefined) throw new Error('the plugin kept no family')
  const disposeSession = async () => {
    end.abort()
    await endKept(kept)
  }
  return {
    family, host, folder: root, kept, notices, disposeSession, killEngine: () => end.abort(),
    async call(name, args, signal = new AbortController().signal) {
      const method = methods.find(each => each.name === name)
      if (method === undefined) throw new Error(`no method ${name}`)
      return method.run(args, { cell: { id: 'cell-1', number: 1, source: '' }, signal, attach: () => {} })
    },
    async [Symbol.asyncDispose]() {
      await disposeSession()
      if (folder === undefined) rmSync(root, { recursive: true, force: true })
    },
  }
}
