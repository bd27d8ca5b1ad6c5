import type { ChildAgent } from '../../kernel/plugin.ts'
import { piEvents } from '../../plugins/subagents/pi/events.ts'
import { chooseModel } from '../../plugins/subagents/models.ts'

/** Something a notebook does with child agents: cells with the scripted child, and what the last one comes to. */
export interface Behaviour {
  /** Of a reported fault (`b…`, acted out by this), or of our own (`f…`). */
  readonly id: string
  readonly title: string
  readonly agent?: keyof typeof agents
  readonly options?: Readonly<Record<string, unknown>>
  /** Run one after another; `ms` aborts that cell after a time. */
  readonly cells: readonly (string | { readonly code: string; readonly abortAfterMs: number })[]
  /** The last cell's value as JSON; text in slashes is a pattern. */
  readonly value?: unknown
  /** The last cell fails with this code and a message like that. */
  readonly error?: readonly [code: string, message: RegExp]
  /** Lines that come with the results. */
  readonly notices?: readonly RegExp[]
}

const known = [{ provider: 'p', id: 'small', window: 1_000 }, { provider: 'p', id: 'large' }, { provider: 'q', id: 'large' }, { provider: 'h', id: 'own/er' }]

/** What stands in for an agent, beside the scripted child itself. */
export const agents = {
  plain: {},
  /** Knows which models there are. */
  models: { model: (wanted: string | undefined) => chooseModel(wanted ?? 'p/small', known) },
  /** Sends events as pi does. */
  events: { read: piEvents },
  /** Makes plain model calls that say what they were asked. */
  ask: {
    ask: ({ prompt, model }: { prompt: string; model?: string }) => prompt === 'fail' ? Promise.reject(new Error('the provider is down')) : Promise.resolve({ text: prompt, ...(model !== undefined && { model }) }),
  },
} satisfies Readonly<Record<string, Partial<ChildAgent>>>

/** Names every case can use: a task for the scripted child, and the error a call ends with as text. */
export const PRELUDE = `
  const op = (name, more = {}, body = '') => '#op ' + JSON.stringify({ op: name, ...more }) + '\\n' + body
  const caught = async work => { try { return await work() } catch (error) { return error.name + ' ' + error.code + ': ' + error.message } }
  const each = (items, work) => Promise.all(items.map(item => caught(() => work(item))))
  const { existsSync, readFileSync, rmSync, statSync } = await import('node:fs')
  const running = async h => { for (;;) { const entry = (await rlm.listSubagents()).find(({ id }) => id === h.id); if (entry.process !== undefined) return entry; await new Promise(done => setTimeout(done, 20)) } }`
