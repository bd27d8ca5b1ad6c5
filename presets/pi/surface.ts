import { isPi16, type AnyTool, type ExtensionAPI, type ExtensionContext, type Loadout, type PiParts, type ToolFields16 } from './pi.ts'
import type { SessionTools } from './session-tools.ts'

export const TOOL_NAME = 'execute'
/** Tools of pi that only look; pi 1.6 starts without them, and cells should have them. */
const LOOKING = ['grep', 'find', 'ls'] as const

/** What 1.6 is told beside the tool itself: only `execute` is declared to the model, the others stay active for cells. */
export const onlyExecute = (tools: () => SessionTools | undefined): ToolFields16 => ({
  exposure: 'model-only',
  // pi holds a call until the servers it may reach have said which tools they have.
  reachesTools: ({ code }) => reachOf(typeof code === 'string' ? code : ''),
  prepareLoadout(loadout: Loadout) {
    tools()?.offer(loadout.callable)
    return { hiddenDeclarations: loadout.declared.map(tool => tool.name).filter(name => name !== TOOL_NAME) }
  },
})

/** The words of a cell, which name the tools it calls; all tools for a cell that looks them up. */
export const reachOf = (code: string): 'all' | readonly string[] => /\brlm\.tools\b|\btools\b(?!\s*\??\.\s*\w)/.test(code) ? 'all' : code.match(/\w+/g) ?? []

/**
 * Makes `execute` all that the model has. 0.73 forgets its active tools with each session. 1.6 writes them into the
 * transcript, where they would outlive this extension: there declarations are hidden instead, and nothing is deactivated.
 */
export function takeSurface(pi: ExtensionAPI, tool: AnyTool, ctx: ExtensionContext, parts: PiParts): void {
  if (isPi16(ctx)) {
    const active = pi.getActiveTools()
    for (const name of LOOKING) {
      const make = parts.factories[name]
      if (!active.includes(name) && make !== undefined) pi.registerTool({ ...make(ctx.cwd), exposure: 'codemode' } as unknown as AnyTool)
    }
    pi.registerTool(tool)
  } else {
    pi.registerTool(tool)
    pi.setActiveTools([TOOL_NAME])
  }
  if (!pi.getActiveTools().includes(TOOL_NAME)) throw new Error(`pi keeps the tool '${TOOL_NAME}' from the session: leave out --tools, or name ${TOOL_NAME} in it.`)
}
