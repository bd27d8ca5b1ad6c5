import { setMaxListeners } from 'node:events'
import { Type } from '@sinclair/typebox'
import type { Json } from '../../guest/protocol.ts'
import { definePlugin, guestHalf, type Host } from '../../kernel/plugin.ts'
import { Family } from './family.ts'
import type half from './guest.ts'
import { readHandover } from './handover.ts'
import { overBudget, problem } from './limits.ts'
import { placeFor } from './place.ts'
import type { ChildView } from './records/status.ts'
import { type Options, options, settle } from './settings.ts'

export { type Family } from './family.ts'
export { type Handover, readHandover } from './handover.ts'
export { spentBy, type Spent } from './spend.ts'
export { summary } from './frames/layout.ts'

/** Child agents: `rlm.run` and what goes with it. The agent itself comes from another plugin, through `host.childAgent`. */
export const subagents = definePlugin({
  name: 'subagents',
  options,
  guest: guestHalf<typeof half>(import.meta.url, './guest'),
  host: (host, given) => {
    const family = familyFor(host, given)
    family.attach(host)
    offerMethods(host, family)
    tellOfEnds(host, family)
  },
})

/** The children of a session, for views and for whoever ends it; undefined before the first engine was made. */
export const familyOf = (kept: Map<string, unknown>): Family | undefined => kept.get('subagents') as Family | undefined

function familyFor(host: Host, given: Options): Family {
  const known = familyOf(host.kept)
  if (known !== undefined) return known
  const handover = given.handover === undefined ? undefined : readHandover(given.handover)
  const settings = settle(given, handover, { ...process.env, ...host.env })
  const family = new Family(placeFor(host.statePath, handover), settings)
  host.kept.set('subagents', family)
  return family
}

const Key = Type.String({ minLength: 1, description: 'id or name' })
const Input = Type.Object({ name: Type.String(), path: Type.String(), bytes: Type.Integer(), kind: Type.String() })
const RunParams = Type.Object({
  task: Type.String(), name: Type.Optional(Type.String()), model: Type.Optional(Type.String({ minLength: 1 })),
  timeoutMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: '0 for no limit' })),
  inputs: Type.Optional(Type.Array(Input)),
}, { additionalProperties: false })
const WaitParams = Type.Object({ children: Type.Array(Key), any: Type.Boolean(), timeoutMs: Type.Integer({ minimum: 0 }) }, { additionalProperties: false })

function offerMethods(host: Host, family: Family): void {
  host.method({
    handle: 'rlm', name: 'run', params: RunParams, late: true,
    description: 'Starts a child agent with a task; answers with a handle as soon as it is admitted.',
    run: async (wanted, { cell }) => shown(await family.admit({ ...wanted, cell: cell.id })),
  })
  host.method({
    handle: 'rlm', name: 'listSubagents', params: Type.Object({ all: Type.Optional(Type.Boolean()) }, { additionalProperties: false }), late: true,
    description: 'The children of this session, from disk.',
    run: ({ all }) => family.list(all).map(shown),
  })
  host.method({
    handle: 'rlm', name: 'deleteSubagent', params: Type.Object({ child: Key }, { additionalProperties: false }), late: true,
    description: 'Ends a live child; takes one that has ended off the list.',
    run: async ({ child }) => shown(await family.remove(child)),
  })
  host.method({
    handle: 'rlm', name: 'waitSubagents', params: WaitParams, late: true,
    description: 'Waits for one or all of some children; costs no model turn.',
    run: async ({ children, any, timeoutMs }, { signal }) => (await unlessOver(signal, cut => family.wait(children, any, timeoutMs, cut))).map(shown),
  })
  host.method({
    handle: 'rlm', name: 'ask', params: Type.Object({ prompt: Type.String({ minLength: 1 }), model: Type.Optional(Type.String({ minLength: 1 })) }, { additionalProperties: false }),
    description: 'One plain model call, without a process and without tools.',
    run: async ({ prompt, model }, { signal }) => {
      const agent = host.agent()
      if (agent?.ask === undefined) throw problem('NO_ASK', 'this host offers no plain model calls (pi 1.6 does). Use rlm.run for a child agent.')
      const spent = overBudget(family.totals(), family.settings.limits)
      if (spent !== undefined) throw problem('CHILD_BUDGET', `no call was made: ${spent}. Go on with the answers you have.`)
      const { text, model: answered, usage } = await agent.ask({ prompt, signal, ...(model !== undefined && { model }) })
      if (usage !== undefined) family.paid(usage)
      return { text, model: answered ?? null }
    },
  })
}

/** A wait belongs to whoever awaits it, and that may be a later cell: only a cancel or the engine's end cuts it short. */
async function unlessOver<T>(signal: AbortSignal, work: (cut: AbortSignal) => Promise<T>): Promise<T> {
  const cut = new AbortController()
  const pass = () => { if ((signal.reason as { code?: unknown } | undefined)?.code !== 'CELL_OVER') cut.abort(signal.reason) }
  // A cell may wait for any number of children at once.
  setMaxListeners(0, signal)
  if (signal.aborted) pass()
  signal.addEventListener('abort', pass, { once: true })
  try { return await work(cut.signal) } finally { signal.removeEventListener('abort', pass) }
}

/** A record as cells see it: the same fields, with the status as it reads now. */
const shown = ({ record, status }: ChildView): Json => ({ ...record, status }) as unknown as Json

/** The end of a child nobody waits for is told with the next result. */
function tellOfEnds(host: Host, family: Family): void {
  const stop = family.onChange(record => {
    if (record.finished_at === undefined || family.isAwaited(record.id)) return
    const how = record.status === 'completed' ? `completed: ${record.output_bytes ?? 0} bytes in ${record.output_file}` : `ended, ${record.reason ?? 'error'}: ${record.message ?? ''}`
    if (record.reason !== 'stopped' && record.reason !== 'shutdown') host.notice(`child '${record.name}' ${how}`)
  })
  host.signal.addEventListener('abort', stop, { once: true })
}
