import { Type } from '@sinclair/typebox'
import type { CellResult } from '../../kernel/result.ts'
import { RlmError } from '../../kernel/errors.ts'
import { type PiUsage, usageOf } from './billing.ts'
import type { Notebook } from './notebook.ts'
import type { AnyTool, ToolContext, ToolFields16, ToolResult } from './pi.ts'
import type { SessionTools } from './session-tools.ts'
import { type Shown, showResult } from './shown.ts'
import { TailStream } from './stream.ts'
import { TOOL_NAME } from './surface.ts'
import type { Details } from './view/sight.ts'

/** What a call needs from the session it is made in. */
export interface Running { readonly notebook: Notebook; readonly tools: SessionTools; readonly cellTimeoutMs: number | null }

type Content = ToolResult<Details>['content']
/** A finished call, before it is reported in the way of the pi version at hand. */
export interface Finished { readonly content: Content; readonly details: Details; readonly isError: boolean; readonly usage?: PiUsage }

const DESCRIPTION = 'Runs a cell of TypeScript in the notebook of this session. Top-level names persist from cell to cell, top-level await works, and the value of the last expression is shown after what was printed.'
const parameters = Type.Object({ code: Type.String({ description: 'The cell: TypeScript, as module-level code' }) })

/**
 * The one tool of the model. `running` answers with the session's notebook or throws what keeps it from running;
 * `failed` is told of each failed call whose result pi 0.73 would lose.
 */
export function executeTool(running: () => Promise<Running>, failed: (id: string, finished: Finished) => void, more: Partial<AnyTool> & ToolFields16): AnyTool {
  return {
    ...more,
    name: TOOL_NAME,
    label: TOOL_NAME,
    description: DESCRIPTION,
    promptSnippet: 'Run a cell of TypeScript in a notebook that stays alive',
    parameters,
    async execute(id, params, signal, onUpdate, ctx) {
      const finished = await runCell(running, id, (params as { code: string }).code, signal, update => { onUpdate?.(update) }, ctx)
      if (!finished.isError) return finished
      // 1.6 takes an error as a result. 0.73 knows only a thrown one, and loses all but its message.
      if ((ctx as ToolContext).executeTool !== undefined) return finished
      failed(id, finished)
      throw new Error(textOf(finished.content))
    },
  }
}

async function runCell(running: () => Promise<Running>, id: string, code: string, signal: AbortSignal | undefined, send: (update: ToolResult<Details>) => void, ctx: ToolContext): Promise<Finished> {
  const stream = new TailStream(({ sections, lines }) => {
    send({ content: [{ type: 'text', text: sections.map(section => section.text).join('') }], details: { running: true, lines, sections } })
  })
  try {
    const { notebook, tools, cellTimeoutMs } = await running()
    const result = await tools.during(id, ctx, () => notebook.execute(code, {
      cellId: id, onStream: (text, channel) => stream.write(text, channel), ...(signal && { signal }), ...(cellTimeoutMs !== null && { timeoutMs: cellTimeoutMs }),
    }))
    return billed(finishedOf(result, showResult(result)), notebook)
  } catch (error) {
    return failure(error)
  } finally {
    stream.close()
  }
}

const finishedOf = (result: CellResult, { text, details }: Shown): Finished => ({
  content: [{ type: 'text', text }, ...result.images.map(image => ({ type: 'image' as const, data: image.data, mimeType: image.mimeType }))],
  details,
  isError: result.status !== 'ok',
})

/** With each result goes what child agents have used since the one before. */
function billed(finished: Finished, { family }: Notebook): Finished {
  const spent = family?.takeSpent()
  return spent === undefined ? finished : { ...finished, usage: usageOf(spent) }
}

/** A call whose cell could not run to its end; what it printed until then is kept. */
function failure(error: unknown): Finished {
  const { name, message, partial } = error as RlmError & { partial?: CellResult }
  const thrown = { name: name || 'Error', message: message || String(error), stack: [] }
  const none: CellResult = { cell: { id: '', number: 0 }, status: 'error', stdout: '', stderr: '', durationMs: 0, images: [], notices: [], late: [] }
  const result: CellResult = { ...none, ...partial, status: 'error', error: thrown }
  return finishedOf(result, showResult(result))
}

const textOf = (content: Content): string => content.map(block => block.type === 'text' ? block.text : '').join('')
