/** The type of the entries by which a transcript remembers which state belongs to which branch. */
export const MARK = 'pi-rlm'

/** "Here the notebook of session `state` was at `generation`." */
export interface Mark { readonly state: string; readonly generation: number }

interface Entry { readonly type: string; readonly customType?: string; readonly data?: unknown; readonly message?: { readonly role: string; readonly toolName?: string } }

/** Where a branch left the notebook. `exact`: no cell ran on the branch after the mark. */
export interface BranchState { readonly mark: Mark | undefined; readonly exact: boolean }

/** Reads a branch, from its root to its leaf. */
export function stateOfBranch(branch: readonly object[], tool: string): BranchState {
  let mark: Mark | undefined
  let exact = true
  for (const entry of branch as readonly Entry[]) {
    if (entry.type === 'custom' && entry.customType === MARK && isMark(entry.data)) {
      mark = entry.data
      exact = true
    } else if (entry.type === 'message' && entry.message?.role === 'toolResult' && entry.message.toolName === tool) exact = false
  }
  return { mark, exact }
}

const isMark = (data: unknown): data is Mark =>
  typeof data === 'object' && data !== null && 'state' in data && typeof data.state === 'string' && /^[\w.-]+$/.test(data.state) && 'generation' in data && Number.isSafeInteger(data.generation)
