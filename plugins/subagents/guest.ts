import type { Guest } from '../../guest/guest.ts'
import type { Json } from '../../guest/protocol.ts'
import { asJson } from './guest/answer.ts'
import { chunksOf } from './guest/chunks.ts'
import { handleCodec } from './guest/codec.ts'
import { badCall } from './guest/errors.ts'
import { type Call, type ChildFacts, type ChildKey, equip, keyOf, Subagent, waiter, type WaitOptions } from './guest/handle.ts'
import { stageInputs } from './guest/inputs.ts'
import { coverageOf, mapItems, type MapOptions, reduceResults } from './guest/map.ts'

export interface RunOptions { readonly name?: string; readonly model?: string; readonly timeoutMs?: number; readonly inputs?: Readonly<Record<string, unknown>> }
export interface AskOptions { readonly model?: string; readonly schema?: unknown }

/** The part of `rlm` that knows children: sugar over the host's methods, and joins that cost no model turn. */
export default function subagents(guest: Guest): void {
  const call: Call = (name, argument) => guest.call('rlm', name, [argument])
  const waitFor = waiter(call)
  const stopped = (): boolean => guest.currentCell()?.signal.aborted ?? false
  equip(waitFor)
  guest.serializer(handleCodec)
  const ask = async (prompt: string, { model, schema }: AskOptions = {}): Promise<unknown> => {
    const { text } = await call('ask', { prompt, ...(model !== undefined && { model }) }) as { readonly text: string }
    return schema === undefined ? text : asJson(text, schema, 'the model\'s answer')
  }
  guest.handle('rlm', {
    run: async (task: unknown, options: RunOptions = {}) => new Subagent(await startRun(call, task, options)),
    /** A handle again, from whatever names the child. */
    subagent: async (child: ChildKey) => new Subagent(firstOf(await call('waitSubagents', { children: [keyOf(child)], any: true, timeoutMs: 1 }))),
    listSubagents: (options: { readonly all?: boolean } = {}) => call('listSubagents', { ...options }),
    deleteSubagent: async (child: ChildKey) => {
      const facts = await call('deleteSubagent', { child: keyOf(child) }) as unknown as ChildFacts
      if (child instanceof Subagent) child.status = facts.status
      return facts
    },
    waitAny: async (children: readonly ChildKey[], options?: WaitOptions) => {
      if (listOf(children).length === 0) throw badCall('rlm.waitAny of no children would wait for ever')
      const records = await waitFor(children, true, options)
      const index = records.findIndex(facts => facts.status !== 'queued' && facts.status !== 'running')
      return handleOf(children[index], records[index] as ChildFacts)
    },
    waitAll: async (children: readonly ChildKey[], options?: WaitOptions) => {
      if (listOf(children).length === 0) return []
      return (await waitFor(children, false, options)).map((facts, index) => handleOf(children[index], facts))
    },
    map: <Item, T>(items: readonly Item[], fn: (item: Item, index: number) => unknown, options?: MapOptions<T>) => mapItems<Item, T>(items, fn, options, stopped),
    reduce: reduceResults,
    coverage: coverageOf,
    chunks: chunksOf,
    ask,
    askAll: (prompts: readonly string[], options?: AskOptions & { readonly concurrency?: number }) =>
      mapItems(prompts, prompt => ask(prompt, options), options?.concurrency === undefined ? {} : { concurrency: options.concurrency }, stopped),
  })
}

const RUN_OPTIONS: readonly string[] = ['name', 'model', 'timeoutMs', 'inputs'] satisfies (keyof RunOptions)[]

async function startRun(call: Call, task: unknown, options: unknown): Promise<ChildFacts> {
  if (typeof task !== 'string') throw badCall(`rlm.run(task, options): the task is text, not ${task === null ? 'null' : typeof task}`)
  if (typeof options !== 'object' || options === null || Array.isArray(options)) throw badCall(`rlm.run(task, options): the options are an object such as { name: 'reader' }, not ${options === null ? 'null' : Array.isArray(options) ? 'a list' : typeof options}`)
  const stranger = Object.keys(options).find(name => !RUN_OPTIONS.includes(name))
  if (stranger !== undefined) throw badCall(`rlm.run(task, options): there is no option '${stranger}'; there are ${RUN_OPTIONS.join(', ')}`)
  const { inputs, ...rest } = options as RunOptions
  const staged = inputs === undefined ? undefined : await stageInputs(inputs)
  try {
    const files = staged?.files ?? []
    return await call('run', { task, ...rest, ...(files.length > 0 && { inputs: files }) }) as unknown as ChildFacts
  } finally { await staged?.remove() }
}

function listOf(children: unknown): readonly unknown[] {
  if (Array.isArray(children)) return children
  throw badCall('children are given as a list: rlm.waitAll([a, b])')
}

const firstOf = (records: Json): ChildFacts => (records as unknown as ChildFacts[])[0] as ChildFacts
const handleOf = (child: unknown, facts: ChildFacts): Subagent => child instanceof Subagent ? child : new Subagent(facts)
