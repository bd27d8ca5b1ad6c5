import type { Notebook } from './notebook.ts'
import type { Family } from '../../plugins/subagents/index.ts'
import { type ExtensionAPI, type ExtensionContext, isPi16 } from './pi.ts'

const LOOK_MS = 500
/** Children a message names before the rest is only counted. */
const NAMED = 20

const KIND = 'pi-rlm-children'
const ANNOUNCEMENT = 'Some of your child agents were still at work.'

interface Turn { readonly message: unknown; readonly toolResults: readonly unknown[] }
interface Custom { readonly role: string; readonly customType?: string }

/**
 * In a mode that ends with its answer, children still at work would end with it. Before that happens they are waited
 * for, within a limit, and the model reads what they found.
 */
export class Children {
  private readonly pi: ExtensionAPI
  /** 0.73: a message stands in the queue, to be filled in when its turn comes. */
  private announced = false
  private report: string | undefined

  constructor(pi: ExtensionAPI) { this.pi = pi }

  /** 1.6 waits for the handlers of a turn's end, so the turn that would be the last can be held there. */
  async turnEnded(ctx: ExtensionContext, turn: Turn, notebook: Notebook, limitMs: number | null): Promise<void> {
    if (ctx.hasUI || !isPi16(ctx) || turn.toolResults.length > 0 || !endedWell(turn.message)) return
    const report = await ended(notebook, limitMs)
    if (report !== undefined) this.pi.sendMessage({ customType: KIND, display: true, content: report }, { triggerTurn: true, deliverAs: 'followUp' })
  }

  /** 0.73 waits for nothing at the end of a run: a message is queued while the run still goes on. */
  cellEnded(ctx: ExtensionContext, notebook: Notebook): void {
    if (ctx.hasUI || isPi16(ctx) || this.announced || (notebook.family?.active().length ?? 0) === 0) return
    this.announced = true
    this.pi.sendMessage({ customType: KIND, display: true, content: ANNOUNCEMENT }, { deliverAs: 'followUp' })
  }

  /** Before a request of 0.73: when the queued message is due, the children are waited for, and it says how they ended. */
  async beforeRequest<Message extends Custom>(messages: readonly Message[], notebook: Notebook, limitMs: number | null): Promise<Message[] | undefined> {
    if (!messages.some(isOurs)) return undefined
    if (this.announced) this.report = await ended(notebook, limitMs) ?? 'Your child agents have all ended. Give your answer.'
    this.announced = false
    return messages.map(message => isOurs(message) && this.report !== undefined ? { ...message, content: this.report } : message)
  }
}

const isOurs = (message: Custom): boolean => message.role === 'custom' && message.customType === KIND

/** Waits for the children at work and says how they ended; undefined when there were none. */
async function ended({ family }: Notebook, limitMs: number | null): Promise<string | undefined> {
  const ids = family?.active().map(({ record }) => record.id) ?? []
  if (family === undefined || ids.length === 0) return undefined
  await allEnded(family, limitMs === null ? Infinity : Date.now() + limitMs)
  const stopped = await family.endAll({ reason: 'timeout', message: 'the session had waited as long as it may' })
  const more = ids.length > NAMED ? [`and ${ids.length - NAMED} more`] : []
  const late = stopped.length > 0 ? [`Not finished in time, and stopped: ${stopped.join(', ')}.`] : []
  return ['Your child agents have ended. Read what you need of their answers, then give your own.', ...ids.slice(0, NAMED).map(id => describe(family.find(id))), ...more, ...late].join('\n')
}

function allEnded(family: Family, until: number): Promise<void> {
  return new Promise(resolve => {
    const timer = setInterval(look, LOOK_MS)
    const stop = family.onChange(look)
    function look(): void {
      if (family.active().length > 0 && Date.now() < until) return
      clearInterval(timer)
      stop()
      resolve()
    }
    look()
  })
}

const endedWell = (message: unknown): boolean => (message as { stopReason?: string }).stopReason === 'stop'

type View = ReturnType<Family['find']>

function describe({ record, status }: View): string {
  const { name, output_bytes: bytes, output_file: file, reason, message } = record
  return status === 'completed' ? `- ${name}: completed, ${bytes ?? 0} bytes in ${file}` : `- ${name}: ${status}${reason === undefined ? '' : ` (${reason})`}${message === undefined ? '' : `: ${message}`}`
}
