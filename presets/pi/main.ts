import { HANDOVER_FLAG } from './child-agent.ts'
import { Children } from './children.ts'
import { registerCommand } from './command.ts'
import { readEnvironment } from './environment.ts'
import { type ExtensionAPI, isPi16, type PiParts, tell, type ToolDrawing } from './pi.ts'
import { promptOf, today } from './prompt-of.ts'
import { Session } from './session.ts'
import { isForced } from './settings.ts'
import { onlyExecute, takeSurface, TOOL_NAME } from './surface.ts'
import { executeTool, type Finished } from './tool.ts'
import { cellRenderers } from './view/renderers.ts'

const FLAG = 'rlm'

/** The extension: asleep until it is asked for, so that a plain session stays as it is. */
export function piRlm(pi: ExtensionAPI, parts: PiParts): void {
  const session = new Session(pi, parts)
  const failed = new Map<string, Finished>()
  const children = new Children(pi)
  let active = false
  let date = ''

  pi.registerFlag(FLAG, { type: 'boolean', description: 'Work in a notebook: one tool, execute, instead of pi\'s own' })
  pi.registerFlag(HANDOVER_FLAG, { type: 'string', description: 'For child agents: the file that says whose child this is' })
  const drawing = { ...cellRenderers(parts, () => session.children()), renderShell: 'self' as const }
  // 1.6 draws what a fork or a resumed session begins with before it says that the session starts.
  ;(pi as ToolDrawing).registerToolRenderer?.((name, next) => next() ?? (name === TOOL_NAME ? drawing : undefined))
  const tool = executeTool(() => session.running(), (id, finished) => { failed.set(id, finished) }, {
    ...onlyExecute(() => session.tools), ...drawing as object,
  })
  registerCommand(pi, session, parts)

  pi.on('session_start', (_event, ctx) => {
    try {
      active = pi.getFlag(FLAG) === true || isForced(readEnvironment())
      if (!active) return
      date = today()
      session.begin(ctx)
      takeSurface(pi, tool, ctx, parts)
    } catch (error) {
      tell(ctx, `pi-rlm: ${(error as Error).message}`, 'error')
    }
  })
  pi.on('session_shutdown', async event => { await session.end(event.reason === 'reload') })
  pi.on('before_agent_start', async event => {
    if (!active) return undefined
    // What the last run came to belongs before this prompt.
    await session.settled()
    const open = await session.running().catch(() => undefined)
    return open === undefined ? undefined : { systemPrompt: promptOf(event, open.notebook, date) }
  })
  // 0.73 drops the content and details of a call that failed by throwing.
  pi.on('tool_result', async (event, ctx) => {
    if (!active || event.toolName !== TOOL_NAME) return undefined
    const open = await session.running().catch(() => undefined)
    if (open !== undefined) children.cellEnded(ctx, open.notebook)
    const finished = failed.get(event.toolCallId)
    if (finished === undefined) return undefined
    failed.delete(event.toolCallId)
    return { content: finished.content, details: finished.details, isError: true }
  })
  pi.on('turn_end', async (event, ctx) => {
    const open = active ? await session.running().catch(() => undefined) : undefined
    if (open !== undefined) await children.turnEnded(ctx, event, open.notebook, open.cellTimeoutMs)
  })
  pi.on('context', async (event, ctx) => {
    const open = active && !isPi16(ctx) ? await session.running().catch(() => undefined) : undefined
    const messages = open === undefined ? undefined : await children.beforeRequest(event.messages, open.notebook, open.cellTimeoutMs)
    return messages === undefined ? undefined : { messages }
  })
  // 0.73 prints the end of a run only after this handler, and may have ended before: it must not wait.
  pi.on('agent_end', (_event, ctx) => { if (active && !isPi16(ctx)) void session.settle() })
  pi.on('session_before_fork', async () => { await session.settled() })
  pi.on('session_before_tree', async () => { await session.settled() })
  pi.on('session_before_switch', async () => { await session.settled() })
  // 1.6 says when all automatic work is done; 0.73 takes the name of an event it does not know.
  pi.on('agent_settled' as 'agent_end', async () => { if (active) await session.settle() })
  pi.on('session_tree', async (_event, ctx) => { if (active) await session.branch(ctx) })
  pi.on('session_compact', async () => { if (active) await session.compacted() })
}
