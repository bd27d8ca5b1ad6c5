import type { PiParts, ToolDefinition } from '../pi.ts'
import { CellComponent, NOTHING } from './component.ts'
import type { Ruler } from './layout.ts'
import type { Palette } from './paint.ts'
import { type Given, viewOf } from './sight.ts'
import type { TreeNode } from '../../../plugins/subagents/records/tree.ts'
import { framesBelow } from './frames.ts'

/** What both slots of a call share; pi keeps it for the call's life. */
interface CallState { given?: Given; startedAt?: number; timer?: NodeJS.Timeout | undefined; component?: CellComponent }
type Renderers = Required<Pick<ToolDefinition<never, unknown, CallState>, 'renderCall' | 'renderResult'>>
type Context = Parameters<Renderers['renderCall']>[2]

const TICK_MS = 1000

/** Draws cells in pi's terminal. The whole cell is one component, which reads its result when it is painted. */
export function cellRenderers(parts: PiParts, tree: () => readonly TreeNode[]): Renderers {
  const ruler: Ruler = { measure: parts.measure, wrapPainted: parts.wrapPainted, highlight: safeHighlight(parts) }

  const draw = (context: Context, palette: Palette): CellComponent => {
    const { state } = context
    const beneath = framesBelow(tree(), context.toolCallId, palette)
    const done = state.given !== undefined && !context.isPartial
    if (context.executionStarted && !done) state.startedAt ??= Date.now()
    keepLive(context, (context.executionStarted && !done) || beneath.live)
    const view = viewOf(state.given, {
      code: codeOf(context.args), argsComplete: context.argsComplete, started: context.executionStarted, partial: context.isPartial, failed: context.isError,
      ...(state.startedAt !== undefined && { elapsedMs: Date.now() - state.startedAt }),
    })
    const sight = { view: { ...view, ...(beneath.lines && { frames: beneath.lines }), ...(beneath.chip !== undefined && { framesChip: beneath.chip }) }, expanded: context.expanded }
    if (state.component === undefined) state.component = new CellComponent(sight, palette, ruler, parts.truncate)
    else state.component.show(sight, palette)
    return state.component
  }
  return {
    renderCall: (_args, theme, context) => draw(context, theme),
    renderResult: (result, _options, theme, context) => {
      context.state.given = result
      draw(context, theme)
      return NOTHING
    },
  }
}

/** Repaints once a second while something moves: elapsed time, child agents. The chain ends by itself. */
function keepLive(context: Context, live: boolean): void {
  const { state } = context
  if (!live) {
    clearTimeout(state.timer)
    state.timer = undefined
    return
  }
  if (state.timer !== undefined) return
  state.timer = setTimeout(() => {
    state.timer = undefined
    context.invalidate()
  }, TICK_MS)
  state.timer.unref()
}

const codeOf = (args: unknown): string => {
  const { code } = (args ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** Colours are an ornament: without them the code is shown all the same. */
const safeHighlight = (parts: PiParts) => (code: string): readonly string[] => {
  try {
    return parts.highlight(code)
  } catch {
    return code.split('\n')
  }
}
