import type { Json } from '../../../guest/protocol.ts'
import { answerText, asJson } from './answer.ts'
import { badCall, childFailed, waitTimeout } from './errors.ts'
import { fileExists, startTimer, stopTimer } from './kept.ts'

/** A child's record as the host shows it. */
export type ChildFacts = Readonly<Record<string, Json>> & { readonly id: string; readonly name: string; readonly status: string }
/** Whatever names a child: a handle, an entry of the list, an id or a name. */
export type ChildKey = string | { readonly id: string }
export interface WaitOptions { readonly timeoutMs?: number }

/** Calls a host method of `rlm` with its one argument. */
export type Call = (name: string, argument: Json) => Promise<Json>

/**
 * A child as a cell holds it: a few words of data, so that it costs little where it is shown. Everything else is asked
 * from the host by its id, which is why a handle works as well after a restart.
 */
export class Subagent {
  readonly id: string
  readonly name: string
  status: string
  declare reason?: string
  readonly output_file: string

  constructor(facts: ChildFacts) {
    this.id = facts.id
    this.name = facts.name
    this.status = facts.status
    this.output_file = facts['output_file'] as string
    learn(this, facts)
  }
}

/** The methods of every handle, over the calls of one guest. */
export interface HandleMethods {
  wait(options?: WaitOptions): Promise<Subagent>
  text(): Promise<string>
  json(schema?: unknown): Promise<unknown>
}

/** Gives handles their methods. They hide from view and from savers: only the data is the handle. */
export function equip(waitFor: Waiting): void {
  const methods: HandleMethods & ThisType<Subagent> = {
    async wait(options) {
      await waitFor([this], false, options)
      return this
    },
    async text() {
      const [facts] = await waitFor([this], false).catch((cause: unknown) => ofAnotherSession(this as Subagent, cause))
      if (facts === undefined || facts.status !== 'completed') throw childFailed(facts ?? { name: this.name, status: this.status })
      return answerText(this.output_file, this.name)
    },
    async json(schema) { return asJson(await (this as Subagent & HandleMethods).text(), schema, `the answer of child '${this.name}'`, this.output_file) },
  }
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(Subagent.prototype, name, { value, writable: true, configurable: true })
}

/**
 * The session does not know the child: it belongs to the one this was forked from. Its answer can be read all the same, as
 * the file is there once it is whole; it is waited for and deleted over there.
 */
async function ofAnotherSession(child: Subagent, cause: unknown): Promise<readonly ChildFacts[]> {
  if ((cause as { code?: unknown }).code !== 'NO_CHILD' || !await fileExists(child.output_file)) throw cause
  return [{ id: child.id, name: child.name, status: 'completed' }]
}

/** Waits for children and answers with their records; handles among them learn their new status. */
export type Waiting = (children: readonly ChildKey[], any: boolean, options?: WaitOptions) => Promise<ChildFacts[]>

/** After this long without an answer the host is stuck, and the guest keeps the deadline by itself. */
const HOST_SLACK_MS = 200

export const waiter = (call: Call): Waiting => async (children, any, options) => {
  const timeoutMs = limitOf(options)
  const asked = call('waitSubagents', { children: children.map(keyOf), any, timeoutMs })
  const records = await (timeoutMs === 0 ? asked : within(asked, timeoutMs)) as unknown as ChildFacts[]
  for (const [index, facts] of records.entries()) learn(children[index], facts)
  const open = records.filter(facts => facts.status === 'queued' || facts.status === 'running')
  if (any ? open.length === records.length : open.length > 0) throw waitTimeout(timeoutMs, open.map(facts => facts.name))
  return records
}

/** The id or name in whatever names a child. */
export function keyOf(child: ChildKey): string {
  const key: unknown = typeof child === 'object' && (child as object | null) !== null ? child.id : child
  if (typeof key === 'string' && key !== '') return key
  throw badCall('a child is named by its handle, its entry in rlm.listSubagents(), its id or its name')
}

function learn(child: unknown, facts: ChildFacts): void {
  if (!(child instanceof Subagent)) return
  child.status = facts.status
  if (typeof facts['reason'] === 'string') child.reason = facts['reason']
}

function limitOf(options: WaitOptions | undefined): number {
  const limit = options?.timeoutMs ?? 0
  if (Number.isInteger(limit) && limit >= 0 && limit < 2 ** 31) return limit
  throw badCall(`timeoutMs is ${String(limit)}; it must be a whole number of milliseconds, 0 for no limit`)
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => { timer = startTimer(() => reject(waitTimeout(ms, [])), ms + HOST_SLACK_MS) })
  try { return await Promise.race([work, late]) } finally { stopTimer(timer) }
}
