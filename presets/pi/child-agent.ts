import { resolve } from 'node:path'
import type { AskReply, AskRequest, Plugin } from '../../kernel/plugin.ts'
import { definePlugin } from '../../kernel/plugin.ts'
import { RlmError } from '../../kernel/errors.ts'
import { chooseModel, type KnownModel } from '../../plugins/subagents/models.ts'
import { piAgent } from '../../plugins/subagents/pi/agent.ts'
import type { ExtensionContext } from './pi.ts'

/** The flag by which a child is told where its place in the tree is written. */
export const HANDOVER_FLAG = 'rlm-child'

/** Switches of the parent that a child needs to see the same world. */
const HANDED_ON = new Set(['--no-skills', '-ns', '--no-prompt-templates', '-np', '--no-themes', '--no-context-files', '-nc', '--offline'])

/** pi as the child agent of its own session: the same program, extensions and models. `context` is asked at each start. */
export const piChildAgent = (context: () => ExtensionContext, cwd: string, argv: readonly string[] = process.argv): Plugin => definePlugin({
  name: 'pi-agent',
  host: host => {
    const [, program, ...args] = argv
    const complete = completerOf(context())
    host.childAgent(piAgent({
      command: process.execPath,
      args: program === undefined ? [] : [program],
      extensions: () => extensionsIn(args).map(path => resolve(cwd, path)),
      discovers: () => !args.includes('--no-extensions') && !args.includes('-ne'),
      trusted: () => (context() as { isProjectTrusted?: () => boolean }).isProjectTrusted?.(),
      flags: () => ['--rlm=1', ...args.filter(arg => HANDED_ON.has(arg))],
      handoverFlag: HANDOVER_FLAG,
      model: () => nameOf(context().model),
      models: () => known(context()),
      ...(complete !== undefined && { ask: request => askModel(request, context()) }),
    }))
  },
})()

/** Paths after `-e` and `--extension`. */
export function extensionsIn(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const next = args[index + 1]
    if ((arg === '-e' || arg === '--extension') && next !== undefined) return [next]
    return arg.startsWith('--extension=') ? [arg.slice('--extension='.length)] : []
  })
}

interface Model { readonly provider: string; readonly id: string; readonly contextWindow?: number }

const nameOf = (model: Model | undefined): string | undefined => model === undefined ? undefined : `${model.provider}/${model.id}`

const known = (ctx: ExtensionContext): KnownModel[] =>
  (ctx.modelRegistry.getAvailable() as Model[]).map(({ provider, id, contextWindow }) => ({ provider, id, ...(contextWindow !== undefined && { window: contextWindow }) }))

interface Answer {
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  readonly stopReason?: string
  readonly errorMessage?: string
  readonly usage?: { readonly input: number; readonly output: number; readonly cacheRead: number; readonly cacheWrite: number; readonly cost?: { readonly total?: number } }
}
type Complete = (model: unknown, context: { readonly messages: readonly object[] }, options: { readonly signal: AbortSignal }) => Promise<Answer>

/** pi 1.6 makes plain model calls with the session's credentials; 0.73 does not. */
function completerOf(ctx: ExtensionContext): Complete | undefined {
  const registry = ctx.modelRegistry as { complete?: Complete }
  return registry.complete?.bind(registry)
}

async function askModel({ prompt, model: wanted, signal }: AskRequest, ctx: ExtensionContext): Promise<AskReply> {
  const complete = completerOf(ctx)
  const models = ctx.modelRegistry.getAvailable() as Model[]
  const choice = wanted === undefined ? { model: nameOf(ctx.model) ?? null } : chooseModel(wanted, known(ctx))
  if ('refused' in choice) throw new RlmError('NO_MODEL', 'AskError', choice.refused)
  const model = models.find(each => nameOf(each) === choice.model)
  if (complete === undefined || model === undefined) throw new RlmError('NO_MODEL', 'AskError', 'the session has no model to ask; name one: rlm.ask(prompt, { model })')
  const { content, stopReason, errorMessage, usage } = await complete(model, { messages: [{ role: 'user', content: prompt, timestamp: Date.now() }] }, { signal })
  if (stopReason === 'error' || stopReason === 'aborted') throw new RlmError('ASK_FAILED', 'AskError', errorMessage ?? `the model call ended as '${stopReason}'`)
  const text = content.map(part => part.type === 'text' ? part.text ?? '' : '').join('')
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cost } = usage ?? {}
  const used = { input, output, cacheRead, cacheWrite, cost: cost?.total ?? 0, context: input + output + cacheRead + cacheWrite, turns: 1 }
  return { text, model: nameOf(model) ?? '', usage: used }
}
