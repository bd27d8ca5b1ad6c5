import { registerCommand } from './command.ts'
import { takeEnvironment } from './environment.ts'
import { type ExtensionAPI, isPi16, type PiParts, tell } from './pi.ts'
import { maxDepthOf, promptOf, today } from './prompt-of.ts'
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
  let active = false
  let date = ''

  pi.registerFlag(FLAG, { type: 'boolean', description: 'Work in a notebook: one tool, execute, instead of pi\'s own' })
  const tool = executeTool(() => session.running(), (id, finished) => { failed.set(id, finished) }, {
    ...onlyExecute(() => session.tools), ...cellRenderers(parts, () => ({ lines: [], live: false })) as object, renderShell: 'self',
  })
  registerCommand(pi, session, parts)

  pi.on('session_start', (_event, ctx) => {
    try {
      const env = takeEnvironment()
      active = pi.getFlag(FLAG) === true || isForced(env)
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
    const open = await session.running().catch(() => undefined)
    return open === undefined ? undefined : { systemPrompt: promptOf(event, open.notebook, { date, depth: 0, maxDepth: maxDepthOf(takeEnvironment()) }) }
  })
  // 0.73 drops the content and details of a call that failed by throwing.
  pi.on('tool_result', event => {
    const finished = failed.get(event.toolCallId)
    if (event.toolName !== TOOL_NAME || finished === undefined) return undefined
    failed.delete(event.toolCallId)
    return { content: finished.content, details: finished.details, isError: true }
  })
  pi.on('agent_end', async (_event, ctx) => { if (active && !isPi16(ctx)) await session.settle() })
  // 1.6 says when all automatic work is done; 0.73 takes the name of an event it does not know.
  pi.on('agent_settled' as 'agent_end', async () => { if (active) await session.settle() })
  pi.on('session_tree', async (_event, ctx) => { if (active) await session.branch(ctx) })
  pi.on('session_compact', async () => { if (active) await session.compacted() })
}
